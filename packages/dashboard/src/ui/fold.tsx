import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

interface FoldProps {
  readonly title: string
  /** Whether it begins open. */
  readonly isOpen: boolean
  readonly children: ReactNode
}

/** Content that a click on its title shows. Fields in it belong to the form although it is closed. */
export const Fold = ({ title, isOpen, children }: FoldProps) => (
  <details open={isOpen} className="group">
    <summary className="flex min-h-8 list-none items-center gap-1.5 text-sm font-medium [&::-webkit-details-marker]:hidden">
      <ChevronDown aria-hidden="true" className="size-4 -rotate-90 transition-transform group-open:rotate-0" />
      {title}
    </summary>
    <div className="mt-3 space-y-4">{children}</div>
  </details>
)
