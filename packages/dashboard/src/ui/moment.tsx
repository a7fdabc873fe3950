import { formatMoment, formatRelative } from '../format/time.ts'

/** An instant as people tell it; the exact one shows on hovering. */
export function Moment({ at }: { readonly at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={formatMoment(date)} className="whitespace-nowrap">
      {formatRelative(date, new Date())}
    </time>
  )
}
