import { Link } from '@tanstack/react-router'
import { titleOf } from '../brand/brand.ts'
import { buttonLook } from '../ui/button.tsx'

/** Shown in the place of a page whose address does not exist. */
export function NotFoundPart() {
  return (
    <div className="grid min-h-[60dvh] place-items-center px-6">
      <title>{titleOf('Page not found')}</title>
      <div className="text-center">
        <h1 className="text-xl font-semibold tracking-tight">Page not found</h1>
        <p className="mt-2 text-ink-soft">Check the address for typos. The page may also have moved.</p>
        <Link to="/dashboard" className={`mt-6 ${buttonLook({ tone: 'primary' })}`}>
          Go to the overview
        </Link>
      </div>
    </div>
  )
}

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <NotFoundPart />
    </main>
  )
}
