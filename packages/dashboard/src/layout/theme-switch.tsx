import { Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { chooseTheme, storedTheme, themes } from '../theme/theme.ts'

const looks = {
  system: { icon: Monitor, text: 'System' },
  light: { icon: Sun, text: 'Light' },
  dark: { icon: Moon, text: 'Dark' }
} as const

export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  return (
    <fieldset className="inline-flex rounded-lg bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map((option) => {
        const { icon: Icon, text } = looks[option]
        return (
          <label
            key={option}
            title={text}
            className="grid h-7 w-9 cursor-pointer place-items-center rounded-md text-ink-soft has-checked:bg-raised has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="theme"
              value={option}
              checked={theme === option}
              className="sr-only"
              onChange={() => {
                chooseTheme(option)
                setTheme(option)
              }}
            />
            <Icon aria-hidden="true" className="size-3.5" />
            <span className="sr-only">{text}</span>
          </label>
        )
      })}
    </fieldset>
  )
}
