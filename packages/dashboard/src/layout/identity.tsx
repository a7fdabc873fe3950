import { LogOut } from 'lucide-react'
import { visibleText } from '../format/visible-text.ts'
import { BrandLinks } from './brand-links.tsx'
import { useUser } from './caller.ts'
import { ThemeSwitch } from './theme-switch.tsx'
import { useSignOut } from './use-sign-out.ts'

/** The end of the menu: who is signed in, the theme, and sign-out. */
export function Identity() {
  const user = useUser()
  const signOut = useSignOut()
  return (
    <div className="mt-4 border-t border-line px-3 pt-4">
      {visibleText(user.name) !== '' && (
        <p className="truncate text-sm font-medium" title={user.name}>
          {user.name}
        </p>
      )}
      <p className="truncate text-[0.8125rem] text-ink-soft" title={user.email}>
        {user.email}
      </p>
      <div className="mt-3 flex items-center justify-between">
        <ThemeSwitch />
        <button
          type="button"
          className="inline-flex min-h-8 items-center gap-2 rounded-lg px-2 text-[0.8125rem] font-medium text-ink-soft hover:bg-sunken hover:text-ink"
          onClick={() => void signOut()}
        >
          <LogOut aria-hidden="true" className="size-3.5" />
          Sign out
        </button>
      </div>
      <div className="mt-3 empty:hidden">
        <BrandLinks />
      </div>
    </div>
  )
}
