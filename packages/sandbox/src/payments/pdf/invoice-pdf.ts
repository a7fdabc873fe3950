import { formatAmount, formatDay } from '../billing/describe.ts'
import type { WireInvoice } from '../wire.ts'
import { type PdfText, writePdf } from './write-pdf.ts'

const left = 56
const amountColumn = 460
const firstLine = 600
const lastLine = 120
const lineHeight = 20
const maxDescription = 70

/** Renders an invoice as PDF. */
export function renderInvoicePdf(invoice: WireInvoice): Buffer {
  const amount = (value: number) => formatAmount(value, invoice.currency)
  const rows = [
    ...invoice.lines.data.map((line) => [shorten(line.description ?? ''), amount(line.amount)] as const),
    ['Total', amount(invoice.total)] as const,
    ...(invoice.starting_balance === 0 ? [] : [['Credit used', amount(invoice.amount_due - invoice.total)] as const]),
    [invoice.status === 'paid' ? 'Amount paid' : 'Amount due', amount(invoice.amount_due)] as const
  ]
  const perPage = Math.floor((firstLine - lastLine) / lineHeight)
  const pages: PdfText[][] = []
  for (let start = 0; start < rows.length; start += perPage) {
    pages.push([...(start === 0 ? head(invoice) : []), ...rows.slice(start, start + perPage).flatMap(renderRow)])
  }
  return writePdf(`Invoice ${invoice.number}`, pages)
}

function head(invoice: WireInvoice): PdfText[] {
  const name = invoice.customer_name ?? invoice.customer_email ?? ''
  return [
    { x: left, y: 770, size: 22, isBold: true, text: 'Invoice' },
    { x: left, y: 735, size: 11, isBold: true, text: invoice.account_name ?? '' },
    { x: left, y: 715, size: 10, isBold: false, text: `Invoice number ${invoice.number}` },
    { x: left, y: 700, size: 10, isBold: false, text: `Date of issue ${formatDay(invoice.created)}` },
    { x: left, y: 685, size: 10, isBold: false, text: `Bill to ${shorten(name)}` },
    {
      x: left,
      y: 650,
      size: 14,
      isBold: true,
      text: `${formatAmount(invoice.amount_due, invoice.currency)} ${invoice.status}`
    },
    { x: left, y: 625, size: 10, isBold: true, text: 'Description' },
    { x: amountColumn, y: 625, size: 10, isBold: true, text: 'Amount' }
  ]
}

function renderRow([label, amount]: readonly [string, string], index: number): PdfText[] {
  const y = firstLine - index * lineHeight
  return [
    { x: left, y, size: 10, isBold: false, text: label },
    { x: amountColumn, y, size: 10, isBold: false, text: amount }
  ]
}

function shorten(text: string): string {
  return text.length <= maxDescription ? text : `${text.slice(0, maxDescription - 1)}…`
}
