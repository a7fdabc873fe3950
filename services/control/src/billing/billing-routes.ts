import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest, OkResponse } from '@tollgate/contracts/http/auth.ts'
import {
  BillingPlanResponse,
  CheckoutRequest,
  InvoicesQuery,
  InvoicesResponse,
  NextChargeResponse,
  OfferedPlansResponse,
  PortalQuery,
  RedirectResponse
} from '@tollgate/contracts/http/billing.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyInstance } from 'fastify'
import { callerOf, ownAccount } from '../callers/session.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook, type RateLimitHook } from '../http/rate-limit.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { type CheckoutOptions, openCheckout, openPortal } from './checkout.ts'
import { findCustomer, markReturned } from './customers.ts'
import { NoSuchCustomerError } from './payments.ts'
import { createNextCharges, describeOffer, readPlan } from './read-plan.ts'

/** Invoices per page by default. */
const defaultLimit = 24

export interface BillingOptions extends CheckoutOptions {
  limits: Pick<Limits, 'billing'>
}

/**
 * `/api/billing`: plans, plan, checkout, refresh, portal, invoices and next charge. Only the owner may use the last
 * five.
 */
export async function billingRoutes(instance: FastifyInstance, options: BillingOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  // Each of these leads to calls of the payment provider, which has its own rate limits.
  const countCall = createRateLimitHook(app, {
    what: 'billing',
    perMinute: options.limits.billing,
    subjectOf: (request) => callerOf(request).user.id
  })
  addPlans(app, options)
  addCheckout(app, options, countCall)
  addRefresh(app, options, countCall)
  addPortal(app, options, countCall)
  addInvoices(app, options, countCall)
  addNextCharge(app, options, countCall)
}

function addPlans(app: TypedApp, { database, catalog }: BillingOptions): void {
  app.get(
    '/plans',
    {
      schema: {
        operationId: 'listPlans',
        summary: 'List the plans, with the prices of those on sale',
        response: answers({ 200: OfferedPlansResponse })
      }
    },
    async () => ({
      plans: describeOffer(catalog)
    })
  )

  app.get(
    '/plan',
    {
      onRequest: app.requireSession,
      schema: {
        operationId: 'getPlan',
        summary: 'Get the current plan, and when it renews or ends',
        response: answers({ 200: BillingPlanResponse })
      }
    },
    async (request) => ({
      plan: await readPlan(database.orm, catalog, callerOf(request).accountId)
    })
  )
}

function addCheckout(app: TypedApp, options: BillingOptions, countCall: RateLimitHook): void {
  app.post(
    '/checkout',
    {
      onRequest: app.requireSession,
      preHandler: countCall,
      schema: {
        operationId: 'openCheckout',
        summary: 'Get the address of a checkout page for a price',
        description:
          'A repeated call for the same price returns the same page; a call for another price closes the earlier page. After the payment the user returns to `/dashboard/billing?success=1`; the plan is in force within seconds. A page of your own calls `POST /api/billing/refresh` then. Only for the owner of the account.',
        isLimited: true,
        errors: ['forbidden', 'unknown_price', 'account_suspended', 'already_subscribed', 'payments_unavailable'],
        body: CheckoutRequest,
        response: answers({ 200: RedirectResponse })
      }
    },
    async (request) => {
      const accountId = ownAccount(request)
      const { email, name } = callerOf(request).user
      return { url: await openCheckout(options, { accountId, email, name }, request.body.price_id) }
    }
  )
}

function addRefresh(app: TypedApp, { database, clock }: BillingOptions, countCall: RateLimitHook): void {
  // A page calls this when the user returns from the provider: the event of the payment may be late or lost.
  app.post(
    '/refresh',
    {
      onRequest: app.requireSession,
      preHandler: countCall,
      schema: {
        operationId: 'refreshPlan',
        summary: 'Read the plan again from the payment provider, after a payment or a switch',
        description:
          'Answers at once. Control reads the provider within seconds, at most every 5 seconds for an account, so the plan is in force although the provider’s event is late or lost. Only for the owner of the account.',
        isLimited: true,
        errors: ['forbidden'],
        body: EmptyRequest,
        response: answers({ 200: OkResponse })
      }
    },
    async (request) => {
      await markReturned(database.orm, ownAccount(request), clock())
      return { ok: true as const }
    }
  )
}

function addPortal(app: TypedApp, options: BillingOptions, countCall: RateLimitHook): void {
  app.get(
    '/portal',
    {
      onRequest: app.requireSession,
      preHandler: countCall,
      schema: {
        operationId: 'openPortal',
        summary: 'Get the address of the billing portal, to switch or cancel the plan and change cards',
        description:
          'The address works for a short time, for everybody who knows it. With price_id, it opens on the confirmation of the switch to that price. Only for the owner of the account.',
        isLimited: true,
        errors: ['forbidden', 'unknown_price', 'no_customer', 'payments_unavailable'],
        querystring: PortalQuery,
        response: answers({ 200: RedirectResponse })
      }
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return { url: await openPortal(options, ownAccount(request), request.query.price_id ?? null) }
    }
  )
}

function addInvoices(app: TypedApp, { database, payments }: BillingOptions, countCall: RateLimitHook): void {
  app.get(
    '/invoices',
    {
      onRequest: app.requireSession,
      preHandler: countCall,
      schema: {
        operationId: 'listInvoices',
        summary: 'List the invoices of the account, newest first',
        description: 'Only for the owner of the account.',
        isLimited: true,
        errors: ['forbidden', 'payments_unavailable'],
        querystring: InvoicesQuery,
        response: answers({ 200: InvoicesResponse })
      }
    },
    async (request) => {
      const customer = await findCustomer(database.orm, ownAccount(request))
      if (customer === null) return { invoices: [], has_more: false }
      const { limit, starting_after: after = null } = request.query
      const page = { size: limit === undefined ? defaultLimit : Number(limit), after }
      const answer = await payments.listInvoices(customer.customerId, page, payments.startDeadline()).catch((error) => {
        if (error instanceof NoSuchCustomerError) return { invoices: [], hasMore: false }
        throw error
      })
      if (answer === null)
        throw new ServiceError('invalid_request', {
          message: 'starting_after: not an invoice of this account; use the last id of the previous page'
        })
      const invoices = answer.invoices.map(({ pdfUrl, ...invoice }) => ({ ...invoice, pdf_url: pdfUrl }))
      return { invoices, has_more: answer.hasMore }
    }
  )
}

function addNextCharge(app: TypedApp, { database, payments, clock }: BillingOptions, countCall: RateLimitHook): void {
  const nextCharges = createNextCharges(payments, clock)
  app.get(
    '/next-charge',
    {
      onRequest: app.requireSession,
      preHandler: countCall,
      schema: {
        operationId: 'getNextCharge',
        summary: 'Get what the account will pay next, and when',
        description:
          'The payment provider computes it, with discounts and credit. Control keeps an answer for up to ten minutes. Only for the owner of the account.',
        isLimited: true,
        errors: ['forbidden', 'payments_unavailable'],
        response: answers({ 200: NextChargeResponse })
      }
    },
    async (request) => {
      const customer = await findCustomer(database.orm, ownAccount(request))
      return { next_charge: await nextCharges.read(customer) }
    }
  )
}
