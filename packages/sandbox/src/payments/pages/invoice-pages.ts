import type { FastifyInstance, FastifyReply } from 'fastify'
import { escapeHtml } from '../../mailbox/html.ts'
import { collectInvoice } from '../billing/collect-invoice.ts'
import { formatAmount, formatDay } from '../billing/describe.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { renderInvoicePdf } from '../pdf/invoice-pdf.ts'
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
