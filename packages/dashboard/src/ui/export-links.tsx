import { Download } from 'lucide-react'
import { type MouseEvent, useRef } from 'react'
import { explain } from '../api/api-error.ts'
import { buttonLook } from './button.tsx'
import { useToast } from './toast.tsx'

const formats = ['csv', 'ndjson'] as const
export type ExportFormat = (typeof formats)[number]

interface ExportLinksProps {
  readonly pathOf: (format: ExportFormat) => string
  /** Fails if the API would refuse the export: browsers save a refusal as the file. Default: it never does. */
  readonly check?: (() => Promise<unknown>) | undefined
}

/** Links that download a list: CSV for spreadsheets, NDJSON for programs. */
export function ExportLinks({ pathOf, check }: ExportLinksProps) {
  const showToast = useToast()
  const isChecked = useRef(false)
  const checkFirst = async (event: MouseEvent<HTMLAnchorElement>) => {
    if (check === undefined || isChecked.current) return
    event.preventDefault()
    const link = event.currentTarget
    try {
      await check()
    } catch (error) {
      return showToast(explain(error), 'failed')
    }
    isChecked.current = true
    link.click()
    isChecked.current = false
  }
  return formats.map((format) => (
    <a key={format} href={pathOf(format)} download onClick={checkFirst} className={buttonLook()}>
      <Download aria-hidden="true" className="size-4" />
      Export {format.toUpperCase()}
    </a>
  ))
}
