import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import { Monitor, Moon, Sun } from 'lucide-react'
import { themes } from '../theme/theme.ts'
import { useTheme } from '../theme/use-theme.ts'

const looks = {
  system: { icon: Monitor, text: 'System' },
  light: { icon: Sun, text: 'Light' },
  dark: { icon: Moon, text: 'Dark' }
} as const

export function ThemeSwitch() {
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
