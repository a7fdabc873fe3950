import type { FastifyInstance, FastifyReply } from 'fastify'
import { completeCheckout } from '../billing/complete-checkout.ts'
import { type Api, changeInTransaction } from '../http/api.ts'
import { parseForm } from '../http/parse-form.ts'
import type { WireCheckoutSession } from '../wire.ts'
import { emptyCard, problemOf, readCardForm, textOf } from './card-form.ts'
import type { Problem } from './field.ts'
import { sendNotice, sendPage } from './layout.ts'
import { type CheckoutForm, renderCheckout } from './render-checkout.ts'

/** The hosted checkout page. It redirects to the application's success URL. */
export function registerCheckoutPages(app: FastifyInstance, api: Api): void {
  const { context } = api
  const { objects, settings } = context

  const sendForm = (
    reply: FastifyReply,
    session: WireCheckoutSession,
    form: Partial<CheckoutForm>,
    problem: Problem | null
  ) => {
    const order = objects.get('order', session.id)
    if (order === null) throw new Error(`${session.id} has no order.`)
    const customer = session.customer === null ? null : objects.get('customer', session.customer)
    const email = session.customer_email ?? customer?.email ?? form.email ?? ''
    return sendPage(
      reply,
      renderCheckout(settings.businessName, session, order, { ...emptyCard, ...form, email }, problem)
    )
  }

  app.get('/c/pay/:id', async (request, reply) => {
    api.catchUp()
    const session = objects.get('checkout.session', (request.params as { id: string }).id)
    return session?.status === 'open'
      ? sendForm(reply, session, {}, null)
      : sendClosed(reply, settings.businessName, session)
  })

  app.post('/c/pay/:id', async (request, reply) => {
    api.catchUp()
    const session = objects.get('checkout.session', (request.params as { id: string }).id)
    // A second click must not pay again.
    if (session?.status === 'complete') return reply.redirect(successUrl(session), 303)
    if (session?.status !== 'open') return sendClosed(reply, settings.businessName, session)
    const fields = parseForm(String(request.body ?? ''))
    const form = { ...readCardForm(fields), email: textOf(fields, 'email') }
    const problem = missingField(session, form)
    if (problem !== null) return sendForm(reply.code(422), session, form, problem)
    try {
      const completed = changeInTransaction(api, () => completeCheckout(context, session, form))
      return reply.redirect(successUrl(completed), 303)
    } catch (error) {
      return sendForm(reply.code(402), session, form, problemOf(error))
    }
  })
}

function missingField(session: WireCheckoutSession, { email, name }: CheckoutForm): Problem | null {
  const isKnown = session.customer !== null || session.customer_email !== null
  if (!isKnown && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    return { field: 'email', message: 'Please enter an email address, such as name@example.com.' }
  }
  return name === '' ? { field: 'name', message: 'Please enter the name on the card.' } : null
}

function successUrl({ id, success_url }: WireCheckoutSession): string {
  return (success_url ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', id)
}

function sendClosed(reply: FastifyReply, businessName: string, session: WireCheckoutSession | null): FastifyReply {
  if (session === null) {
    return sendNotice(reply, businessName, 404, 'No such checkout', 'There is no checkout at this address.')
  }
  return session.status === 'complete'
    ? sendNotice(reply, businessName, 200, 'All done', 'This checkout has been paid. You can close this page.')
    : sendNotice(reply, businessName, 410, 'This checkout has expired', 'Please go back and start it again.')
}
