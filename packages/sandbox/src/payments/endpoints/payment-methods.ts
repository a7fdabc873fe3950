import type { FastifyInstance } from 'fastify'
import { attachCard } from '../billing/attach-card.ts'
import { type CardInput, checkCard } from '../billing/check-card.ts'
import type { Api } from '../http/api.ts'
import { text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { findCustomer, findResource } from './find.ts'

/** Stripe's ids of test cards, which need no card form. */
const namedCards: Readonly<Record<string, string>> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_chargeCustomerFail: '4000000000000341'
}

export function registerPaymentMethods(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/payment_methods/:id/attach',
    params: { customer: text },
    run(context, { customer }, id) {
      const owner = findCustomer(context, customer)
      const number = namedCards[id]
      if (number === undefined) return findResource(context, 'payment_method', id)
      const nowS = context.clock.nowS()
      const input: CardInput = { number, expiry: `12/${new Date(nowS * 1000).getUTCFullYear() + 1}`, cvc: '123' }
      return attachCard(context, owner, checkCard(input, nowS), owner.name ?? null)
    }
  })
}
