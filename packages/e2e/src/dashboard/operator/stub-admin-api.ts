import { errorTable } from '@tollgate/contracts/errors/table.ts'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import * as accounts from '@tollgate/contracts/http/admin/accounts.ts'
import * as adjustments from '@tollgate/contracts/http/admin/adjustments.ts'
import type { OperatorAct } from '@tollgate/contracts/http/admin/audit.ts'
import * as audit from '@tollgate/contracts/http/admin/audit.ts'
import * as catalog from '@tollgate/contracts/http/admin/catalog.ts'
import * as keys from '@tollgate/contracts/http/admin/keys.ts'
import * as money from '@tollgate/contracts/http/admin/money.ts'
import * as system from '@tollgate/contracts/http/admin/system.ts'
import { OkResponse } from '@tollgate/contracts/http/auth.ts'
import { adminPaths } from '@tollgate/dashboard/api/admin-paths.ts'
import type { BrowserContext } from 'playwright-core'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { changeAccount, comparisonOf, listedAccounts } from './stub-changes.ts'
import { ago, sampleAccount, sampleAct, sampleCatalog, sampleMoney, sampleSystem } from './stub-data.ts'

/** The real system answers these operations. */
type RealOp =
  | 'listRequests'
  | 'getRequest'
  | 'listEvents'
  | 'markEventsSeen'
  | 'listWebhooks'
  | 'createWebhook'
  | 'listEventTypes'
  | 'getWebhook'
  | 'changeWebhook'
  | 'deleteWebhook'
  | 'rotateWebhook'
  | 'testWebhook'
  | 'listDeliveries'
  | 'redeliverWebhook'
const realPaths = /^\/api\/admin\/(events|requests|webhooks)(\/|$)/

type Op = Exclude<keyof typeof adminPaths, RealOp>

export type StubError = { readonly code: keyof typeof errorTable }
export interface StubRequest {
  readonly id: string
  readonly query: Readonly<Record<string, string>>
  // Checked against the schema of the operation.
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own body
  readonly body: any
}

/** Schemas of each operation: what it takes, and what it answers. */
const schemas: Record<Op, readonly [input: TSchema | null, answer: TSchema]> = {
  listAccounts: [accounts.AdminAccountsQuery, accounts.AdminAccountsResponse],
  getAccount: [null, accounts.AdminAccountResponse],
  suspendAccount: [accounts.ReasonRequest, accounts.AdminAccountResponse],
  resumeAccount: [accounts.ReasonRequest, accounts.AdminAccountResponse],
  signOutAccount: [accounts.ReasonRequest, accounts.SignedOutResponse],
  changeAccount: [accounts.ChangeAccountByOperatorRequest, accounts.AdminAccountResponse],
  adjustUsage: [adjustments.AdjustmentRequest, adjustments.AdjustmentResponse],
  deleteAccount: [accounts.DeleteAccountRequest, OkResponse],
  revokeKey: [keys.RevokeReportedKeyRequest, keys.RevokedKeyResponse],
  getSystem: [null, system.AdminSystemResponse],
  getMoney: [money.AdminMoneyQuery, money.AdminMoneyResponse],
  getCatalog: [null, catalog.AdminCatalogResponse],
  compareCatalog: [catalog.CatalogDiffRequest, catalog.CatalogDiffResponse],
  applyCatalog: [catalog.ApplyCatalogRequest, catalog.ApplyCatalogResponse],
  listActs: [audit.OperatorActsQuery, audit.OperatorActsResponse],
  checkSession: [audit.OperatorActsQuery, audit.OperatorActsResponse]
}

/** Answers the admin API in a browser window, for tests of the pages. Requests and answers must match the schemas of the API. */
export class StubAdminApi {
  readonly accounts: AdminAccount[]
  readonly acts: OperatorAct[] = []
  readonly catalog = sampleCatalog()
  readonly system = sampleSystem()
  /** What did not match a schema. A test expects none. */
  readonly violations: string[] = []
  /** The session is older than 12 hours. */
  isStale = false
  /** Changes are saved, but not in force. */
  isPending = false
  readonly #operator: { readonly id: string; readonly email: string; readonly password: string }
  readonly #keyValue: string

  constructor(
    operator: { readonly id: string; readonly email: string; readonly password: string },
    customer: { readonly email: string; readonly keyLabel: string; readonly keyValue: string }
  ) {
    this.#operator = operator
    this.#keyValue = customer.keyValue
    this.accounts = [
      sampleAccount(customer.email, 'Carla Customer', '44.203', customer.keyLabel),
      { ...sampleAccount('late@example.com', 'Lars Late', '12.50', 'CI'), past_due: true },
      {
        ...sampleAccount('abuser@example.com', 'Abel', '3.20', 'Bot'),
        status: 'suspended',
        suspended_for: ['operator', 'identity'],
        plan: 'free'
      },
      { ...sampleAccount('', '', '0.00', 'Old'), users: [], status: 'suspended', suspended_for: ['deleted'] }
    ]
    this.#record('catalog.applied', 'Lower prices of gpt-4o-mini', null)
    this.#record('account.suspended', 'Sends spam with many accounts', this.accounts[2]!)
  }

  /** Answers the admin API in all pages of a window. */
  async answer(context: BrowserContext): Promise<void> {
    await context.route('**/api/admin/**', async (route) => {
      const request = route.request()
      const { pathname, searchParams } = new URL(request.url())
      if (realPaths.test(pathname)) return route.fallback()
      const [op, id] = operationOf(request.method(), pathname)
      const input = { id, query: Object.fromEntries(searchParams), body: request.postDataJSON() }
      const answer = this.#handle(op, input)
      if ('code' in answer) return route.fulfill(failure(answer.code as keyof typeof errorTable))
      this.#check(`answer of ${op}`, schemas[op][1], answer)
      return route.fulfill({ json: answer })
    })
  }

  #check(what: string, schema: TSchema, value: unknown): void {
    if (!Value.Check(schema, value)) this.violations.push(`${what}: ${JSON.stringify(Value.Errors(schema, value))}`)
  }

  #handle(op: Op, request: StubRequest): object | StubError {
    const [input] = schemas[op]
    if (input !== null) this.#check(`input of ${op}`, input, request.body ?? request.query)
    if (this.isStale) return { code: 'sign_in_again' }
    const { id, body, query } = request
    if (body?.password !== undefined && body.password !== this.#operator.password) return { code: 'wrong_password' }
    const account = this.accounts.find((one) => one.id === id)
    switch (op) {
      case 'listAccounts':
        return listedAccounts(this.accounts, query)
      case 'getSystem':
        return { system: { ...this.system, at: new Date().toISOString() } }
      case 'getMoney':
        return { money: sampleMoney(String(query.month), this.accounts[0]!) }
      case 'getCatalog':
        return this.catalog
      case 'compareCatalog':
        return comparisonOf(body)
      case 'applyCatalog':
        return this.#applyCatalog(body)
      case 'revokeKey':
        return this.#revokeKey(body)
      case 'listActs':
      case 'checkSession':
        return { entries: this.#actsOf(query), has_more: false, next_cursor: null }
      default:
        if (account === undefined) return { code: 'not_found' }
        return op === 'getAccount' ? { account } : this.#changeAccount(op, account, body)
    }
  }

  #actsOf(query: Readonly<Record<string, string>>): OperatorAct[] {
    return this.acts.filter(
      ({ actor_id, account_id }) =>
        (query.actor_id === undefined || query.actor_id === actor_id) &&
        (query.account_id === undefined || query.account_id === account_id)
    )
  }

  #record(action: string, reason: string, account: AdminAccount | null): void {
    const about = account === null ? {} : { account_id: account.id, account_email: account.email }
    this.acts.unshift(sampleAct(this.#operator, { action, reason, ...about }))
  }

  #changeAccount(op: Op, account: AdminAccount, body: StubRequest['body']): object | StubError {
    const { action, answer } = changeAccount(op, account, body)
    this.#record(action, body.reason, account)
    if (op === 'deleteAccount') this.accounts.splice(this.accounts.indexOf(account), 1)
    return this.isPending ? { code: 'change_pending' } : (answer ?? { account })
  }

  #revokeKey(body: StubRequest['body']): object | StubError {
    const [account] = this.accounts
    const key = account!.key_list.find(({ id, prefix }) => id === body.id || (body.value === this.#keyValue && prefix))
    if (key === undefined) return { code: 'not_found' }
    key.status = 'revoked'
    this.#record('key.revoked', body.reason, account!)
    if (this.isPending) return { code: 'revocation_pending' }
    const { id, label, prefix } = key
    return { key: { id, label, prefix, account_id: account!.id }, mailed: true }
  }

  #applyCatalog({ reason, yaml }: StubRequest['body']): object {
    const version = this.catalog.catalog.version + 1
    const published = {
      ...this.catalog.catalog,
      version,
      reason,
      published_at: ago(0),
      operator_email: this.#operator.email
    }
    this.catalog.catalog = published
    this.catalog.history.unshift(published)
    if (yaml !== undefined) this.catalog.yaml = yaml
    this.#record('catalog.applied', reason, null)
    return { catalog: published }
  }
}

function operationOf(method: string, pathname: string): readonly [op: Op, id: string] {
  for (const [op, [of, template]] of Object.entries(adminPaths)) {
    const match = new RegExp(`^${template.replace('{id}', '([^/]+)')}$`).exec(pathname)
    if (of === method && match !== null) return [op as Op, match[1] ?? '']
  }
  throw new Error(`the admin API has no ${method} ${pathname}`)
}

function failure(code: keyof typeof errorTable) {
  const [status, type, message] = errorTable[code]
  return { status, headers: { 'retry-after': '2' }, json: { error: { message, type, code } } }
}
