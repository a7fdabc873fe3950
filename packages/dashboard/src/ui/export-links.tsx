import { Download } from 'lucide-react'
import { buttonLook } from './button.tsx'

const formats = ['csv', 'ndjson'] as const
export type ExportFormat = (typeof formats)[number]

/** Links that download a list: CSV for spreadsheets, NDJSON for programs. */
export const ExportLinks = ({ pathOf }: { readonly pathOf: (format: ExportFormat) => string }) =>
  formats.map((format) => (
    <a key={format} href={pathOf(format)} download className={buttonLook()}>
      <Download aria-hidden="true" className="size-4" />
      Export {format.toUpperCase()}
    </a>
  ))
