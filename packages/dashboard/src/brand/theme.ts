export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Of the stored theme. */
export const themeKey = 'theme'

/** The stored theme. Browsers can forbid storage; every visit then starts with the system's theme. */
export function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem(themeKey)
    return themes.find((theme) => theme === stored) ?? 'system'
  } catch {
    return 'system'
  }
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme)
  try {
    if (theme === 'system') localStorage.removeItem(themeKey)
    else localStorage.setItem(themeKey, theme)
  } catch {
    // Without storage the theme lasts for this visit only.
  }
}
