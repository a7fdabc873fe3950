import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'

interface FilterPanelProps {
  /** How many filters are set. */
  readonly count: number
  readonly onClear: () => void
  readonly children: ReactNode
}

/** The filters of a list. A phone shows them behind a button, because they would fill its screen. */
export function FilterPanel({ count, onClear, children }: FilterPanelProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  return (
    <search className="space-y-3">
      <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)} className="w-full sm:hidden">
        <SlidersHorizontal aria-hidden="true" className="size-4" />
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <div
        id={id}
        ref={panel}
        tabIndex={-1}
        className={`${isOpen ? 'flex' : 'hidden sm:flex'} flex-wrap items-start gap-3 outline-none`}
      >
        {children}
        {count > 0 && (
          <Button
            tone="quiet"
            onClick={() => {
              onClear()
              // The button goes away.
              panel.current?.focus()
            }}
          >
            Clear all
          </Button>
        )}
      </div>
    </search>
  )
}
