import type { ErrorComponentProps } from '@tanstack/react-router'
import { textLink } from '../ui/class-names.ts'
import { FailurePart } from './failure-page.tsx'
import { BrandLinks, Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'

/** The frame of the signed-in pages while nothing is known about the user. Its content says why. */
export function FailedShell(props: ErrorComponentProps) {
  return (
    // On narrow screens the failure comes first: nobody should have to scroll to it.
    <div className="min-h-dvh max-lg:flex max-lg:flex-col-reverse max-lg:justify-end lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <header className="border-line bg-surface px-3 py-5 max-lg:border-t lg:border-r">
        <div className="mb-5 pl-3">
          <Logo />
        </div>
        <nav aria-label="Dashboard">
          <Navigation isOwner={false} isOperator={false} />
        </nav>
      </header>
      <main className="min-w-0 px-4 py-6">
        <FailurePart {...props} />
        <div className="flex flex-wrap items-center justify-center gap-x-4 gap-y-1 text-[0.8125rem]">
          {/* If the failure is of this account only. */}
          <a href="/login" className={textLink}>
            Sign in again
          </a>
          <BrandLinks />
        </div>
      </main>
    </div>
  )
}
