import { Download } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { download } from '../../usage/download.ts'

interface ExportButtonProps {
  /** The name of the file. */
  readonly name: string
  /** Writes the file; null if there is nothing to write. */
  readonly write: (() => string) | null
}

export function ExportButton({ name, write }: ExportButtonProps) {
  return (
    <Button
      size="small"
      disabled={write === null}
      onClick={() => {
        if (write !== null) download(name, 'text/csv', write())
      }}
    >
      <Download aria-hidden="true" className="size-4" />
      Export CSV
    </Button>
  )
}
