import { useSyncExternalStore } from 'react'
import { chooseTheme, storedTheme, type Theme } from './theme.ts'

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
