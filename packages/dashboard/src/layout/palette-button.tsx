import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { dialogOnDemand } from './lazy-dialog.tsx'

/** Loaded when it is first opened, so that the first page stays small. */
const Palette = dialogOnDemand(() => import('./palette.tsx'), 'Palette')

const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** The palette, opened with ⌘K or Ctrl K. */
export function usePalette() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey || !(isMac ? event.metaKey : event.ctrlKey))
        return
      event.preventDefault()
      // An open dialog keeps its input.
      setOpen((before) => !before && document.querySelector('[role="dialog"][data-open]') === null)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const palette = isOpen && <Palette onClose={() => setOpen(false)} />
  return { palette, open: () => setOpen(true) }
}

interface PaletteButtonProps {
  readonly onOpen: () => void
  /** Only the icon, for narrow screens. */
  readonly isIcon?: boolean
}

/** Opens the palette, and shows its shortcut. */
export function PaletteButton({ onOpen, isIcon = false }: PaletteButtonProps) {
  const shared = {
    'aria-keyshortcuts': isMac ? 'Meta+K' : 'Control+K',
    'aria-haspopup': 'dialog',
    onClick: onOpen
  } as const
  if (isIcon) {
    return (
      <button
        {...shared}
        type="button"
        aria-label="Search"
        className="grid size-10 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
      >
        <Search aria-hidden="true" className="size-5" />
      </button>
    )
  }
  return (
    <button
      {...shared}
      type="button"
      className="mb-4 flex min-h-9 items-center gap-3 rounded-lg border border-line bg-canvas px-3 text-sm text-ink-soft hover:border-line-strong hover:text-ink"
    >
      <Search aria-hidden="true" className="size-4 shrink-0" />
      <span className="flex-1 text-left">Search</span>
      <span aria-hidden="true" className="text-xs">
        {isMac ? '⌘K' : 'Ctrl K'}
      </span>
    </button>
  )
}
