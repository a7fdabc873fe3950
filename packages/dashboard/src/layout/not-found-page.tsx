import { Link } from '@tanstack/react-router'
import { buttonLook } from '../ui/button.tsx'

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center px-6">
      <title>Not found · Tollgate</title>
      <div className="text-center">
        <h1 className="text-xl font-semibold tracking-tight">There is no such page</h1>
        <p className="mt-2 text-ink-soft">The address may be mistyped, or the page has moved.</p>
        <Link to="/dashboard" className={`mt-6 ${buttonLook({ tone: 'primary' })}`}>
          Go to the overview
        </Link>
      </div>
    </main>
  )
}
