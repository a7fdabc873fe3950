import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import { LogOut, Monitor, Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { chooseTheme, storedTheme, type Theme, themes } from '../brand/theme.ts'
import { visibleText } from '../format/visible-text.ts'
import { BrandLinks } from './logo.tsx'
import { useUser } from './owner.tsx'
import { useSignOut } from './sign-out.ts'

const looks = {
  system: { icon: Monitor, text: 'System' },
  light: { icon: Sun, text: 'Light' },
  dark: { icon: Moon, text: 'Dark' }
} as const

function ThemeSwitch() {
  const [theme, chooseTheme] = useTheme()
  return (
    <ToggleGroup
      aria-label="Theme"
      value={[theme]}
      onValueChange={([chosen]) => {
        if (chosen !== undefined) chooseTheme(chosen)
      }}
      className="inline-flex rounded-lg bg-sunken p-0.5"
    >
      {themes.map((option) => {
        const { icon: Icon, text } = looks[option]
        return (
          <Toggle
            key={option}
            value={option}
            aria-label={text}
            title={text}
            className="grid h-7 w-9 place-items-center rounded-md text-ink-soft data-pressed:bg-raised data-pressed:text-ink data-pressed:shadow-card"
          >
            <Icon aria-hidden="true" className="size-3.5" />
          </Toggle>
        )
      })}
    </ToggleGroup>
  )
}

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

const listeners = new Set<() => void>()
let current: Theme | null = null

function choose(theme: Theme): void {
  current = theme
  chooseTheme(theme)
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The chosen theme, shared by everything that shows it, and a function that chooses one. */
export function useTheme(): readonly [theme: Theme, choose: (theme: Theme) => void] {
  const theme = useSyncExternalStore(subscribe, () => {
    current ??= storedTheme()
    return current
  })
  return [theme, choose]
}
