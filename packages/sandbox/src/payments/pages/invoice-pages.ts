import type { FastifyInstance, FastifyReply } from 'fastify'
import { escapeHtml } from '../../mailbox/html.ts'
import { collectInvoice } from '../collect-invoice.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { formatAmount, formatDay } from '../periods.ts'
import type { WireInvoice } from '../wire.ts'
import { page, sendNotice, sendPage } from './layout.ts'

/** The page of an invoice and its PDF. Anyone with the link can open them. */
export function registerInvoicePages(app: FastifyInstance, api: Api): void {
  const { objects, settings } = api.context

  const find = (params: unknown): WireInvoice | null => {
    const link = objects.get('invoice_link', (params as { link: string }).link)
    return link === null ? null : objects.get('invoice', link.invoice)
  }
  const sendMissing = (reply: FastifyReply) =>
    sendNotice(reply, settings.businessName, 404, 'No such invoice', 'There is no invoice at this address.')

  app.get('/i/:link', async (request, reply) => {
    const invoice = find(request.params)
    return invoice === null ? sendMissing(reply) : sendPage(reply, renderInvoice(settings.businessName, invoice, false))
  })

  app.post('/i/:link', async (request, reply) => {
    const invoice = find(request.params)
    if (invoice === null) return sendMissing(reply)
    if (invoice.status !== 'open') return reply.redirect(request.url, 303)
    const collected = changeInTransaction(api, () => collectInvoice(api.context, invoice))
    return collected.status === 'paid'
      ? reply.redirect(request.url, 303)
      : sendPage(reply.code(402), renderInvoice(settings.businessName, collected, true))
  })

  app.get('/i/:link/pdf', async (request, reply) => {
    const invoice = find(request.params)
    if (invoice === null) return sendMissing(reply)
    return reply
      .type('application/pdf')
      .header('content-disposition', `inline; filename="Invoice-${invoice.number}.pdf"`)
      .header('cache-control', 'no-store')
      .send(renderInvoicePdf(invoice))
  })
}

function renderInvoice(businessName: string, invoice: WireInvoice, hasFailed: boolean): string {
  const amount = (value: number) => escapeHtml(formatAmount(value, invoice.currency))
  const lines = invoice.lines.data.map(
    (line) => `<tr><td>${escapeHtml(line.description ?? '')}</td><td>${amount(line.amount)}</td></tr>`
  )
  const pay = invoice.status === 'open' ? '<form method="post"><button>Pay with the card on file</button></form>' : ''
  return page(
    businessName,
    `Invoice ${invoice.number}`,
    `<h1>Invoice ${escapeHtml(invoice.number ?? invoice.id)}</h1>
    <p class="price">${amount(invoice.amount_due)}</p>
    <p class="${invoice.status === 'paid' ? 'good' : 'wrong'}">${escapeHtml(invoice.status ?? '')}, ${formatDay(invoice.created)}</p>
    ${hasFailed ? '<p class="problem" role="alert">The card was declined. Please change it first.</p>' : ''}
    <section><div class="scroll"><table>
      <thead><tr><th scope="col">For</th><th scope="col">Amount</th></tr></thead>
      <tbody>${lines.join('')}<tr><th scope="row">Total</th><td>${amount(invoice.total)}</td></tr></tbody>
    </table></div></section>
    <div class="actions">${pay}<a class="button second" href="${escapeHtml(invoice.invoice_pdf ?? '')}">PDF</a></div>`
  )
}

const pageSize = { width: 595, height: 842 }

/** The characters whose codes differ between Windows-1252 and Unicode, as far as names and amounts need them. */
const windowsCodes: Readonly<Record<string, number>> = {
  '€': 0x80,
  '…': 0x85,
  Š: 0x8a,
  Œ: 0x8c,
  Ž: 0x8e,
  '‘': 0x91,
  '’': 0x92,
  '“': 0x93,
  '”': 0x94,
  '•': 0x95,
  '–': 0x96,
  '—': 0x97,
  š: 0x9a,
  œ: 0x9c,
  ž: 0x9e,
  Ÿ: 0x9f
}

const left = 56
const amountColumn = 460
const firstLine = 600
const lastLine = 120
const lineHeight = 20
const maxDescription = 70

/** Renders an invoice as PDF. */
function renderInvoicePdf(invoice: WireInvoice): Buffer {
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

/** A line of text on an A4 page. */
interface PdfText {
  /** Points from the left and from the bottom edge. */
  x: number
  y: number
  size: number
  isBold: boolean
  text: string
}

/**
 * Writes a PDF (1.4) with text in Helvetica, which every reader has. Characters outside Windows-1252 become question
 * marks. It needs only five kinds of objects, so no library is used; see ISO 32000-1 sections 7.5 (file) and 9.4
 * (text).
 */
function writePdf(title: string, pages: readonly (readonly PdfText[])[]): Buffer {
  const pageIds = pages.map((_page, index) => 6 + index * 2)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    `<< /Title ${literal(title)} /Producer (Tollgate sandbox) >>`,
    ...pages.flatMap((texts, index) => {
      const content = texts.map(showText).join('\n')
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageSize.width} ${pageSize.height}] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${7 + index * 2} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`
      ]
    })
  ]
  // One character is one byte, so offsets in the text are offsets in the file.
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n'
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const start = file.length
  const rows = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`)
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

function showText({ x, y, size, isBold, text }: PdfText): string {
  return `BT /F${isBold ? 2 : 1} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`
}

/** Encodes a text as a Windows-1252 string in parentheses. */
function literal(text: string): string {
  const bytes = [...text].map((character) => {
    const code = windowsCodes[character] ?? character.codePointAt(0) ?? 63
    return code < 32 || code > 255 || (code > 126 && code < 160 && windowsCodes[character] === undefined) ? 63 : code
  })
  return `(${String.fromCharCode(...bytes).replace(/[\\()]/g, '\\$&')})`
}
