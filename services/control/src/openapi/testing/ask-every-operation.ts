import { randomUUID } from 'node:crypto'
import { type OpenApiDocument, type Operation, operationsOf } from '@tollgate/contracts/openapi/document.ts'
import { expectStatus } from '../../testing/call-control.ts'
import type { RunningControl } from '../../testing/running-control.ts'
import type { TestUser } from '../../testing/sign-up.ts'

const reason = 'A test'
const url = 'https://hooks.example.com/'
/** By operation. The others need no body, or are refused here without one. */
const bodies: Readonly<Record<string, unknown>> = {
  register: { email: 'new@example.com', password: 'correct horse battery', name: 'Ada' },
  changeUser: { name: 'Countess' },
  forgotPassword: { email: 'nobody@example.com' },
  resendConfirmation: { email: 'nobody@example.com' },
  changeKey: { label: 'renamed' },
  changeAccount: { monthly_budget_usd: 1 },
  changeWebhook: { description: 'renamed' },
  changeNotifications: { thresholds: null },
  adjustUsage: { id: randomUUID(), amount_usd: 1, month: new Date().toISOString().slice(0, 7), reason },
  overrideAccount: { reason, limits: null },
  deleteAccountByOperator: { reason },
  signOutByOperator: { reason },
  suspendAccountByOperator: { reason },
  resumeAccountByOperator: { reason },
  approveAccountByOperator: { reason },
  applyCatalog: { version: 1, reason },
  diffCatalog: { version: 1 },
  rebuildProjection: { reason },
  changeOperatorWebhook: { description: 'renamed' }
}
/** These end what the others need. */
const last = [
  'changePassword',
  'revokeKey',
  'deleteWebhook',
  'deleteOperatorWebhook',
  'deleteAccountByOperator',
  'deleteUser',
  'signout'
]

/** Asks a control for every operation of its document, the fatal ones last, so that each answer is compared with it. */
export async function askEveryOperation(control: RunningControl, document: OpenApiDocument): Promise<void> {
  const { call } = control
  const [user, operator, other] = [
    await control.signUp(),
    await control.signUpOperator('operator'),
    await control.signUp()
  ]
  /** @returns the id of what was created */
  const create = async ({ cookie }: TestUser, path: string, body: object): Promise<string> => {
    const created = await expectStatus(call('POST', path, { cookie, body }), 201)
    return (Object.values(created.body as object)[0] as { id: string }).id
  }
  const key = await create(user, '/api/keys', { label: 'one' })
  const ids: ReadonlyArray<readonly [prefix: string, id: string]> = [
    ['/api/keys/', key],
    ['/api/webhooks/', await create(user, '/api/webhooks', { url })],
    ['/api/admin/webhooks/', await create(operator, '/api/admin/webhooks', { url })],
    ['/api/admin/accounts/', other.id]
  ]
  const given: Readonly<Record<string, unknown>> = {
    ...bodies,
    login: { email: user.email, password: user.password },
    reauthenticate: { password: user.password },
    startSecondFactor: { password: user.password },
    changePassword: { current_password: user.password, password: 'another correct battery' },
    createKey: { label: 'two' },
    createWebhook: { url },
    createOperatorWebhook: { url },
    findReportedKey: { id: key },
    revokeReportedKey: { id: key, reason }
  }
  const rank = ({ operationId }: Operation) => last.indexOf(operationId)
  const operations = operationsOf(document).sort((a, b) => rank(a.operation) - rank(b.operation))
  for (const { method, path, operation } of operations) {
    const { operationId, security } = operation
    const isByOperator = operation.tags.includes('Operators')
    const id = ids.find(([prefix]) => path.startsWith(prefix))?.[1] ?? randomUUID()
    const target = path.replace('{id}', id).replaceAll(/\{\w+\}/g, () => randomUUID())
    const caller = isByOperator ? operator : user
    const cookie = security.length === 0 ? undefined : caller.cookie
    const { cookies } = await call(method as 'GET', target + queryOf(operation, other), {
      ...(cookie !== undefined && { cookie }),
      ...(operation.requestBody !== undefined && { body: given[operationId] ?? {} })
    })
    // A new password ends the session, and begins another one.
    const renewed = cookies.find((one) => cookie !== undefined && one.startsWith('svc_session='))
    if (renewed !== undefined) caller.cookie = renewed.split(';')[0]!
  }
}

/** The parameters that an operation needs. */
function queryOf({ parameters = [] }: Operation, { id }: TestUser): string {
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required === true)
  const values: Readonly<Record<string, string>> = { account: id, from: '2026-11', to: '2026-12' }
  const pairs = needed.map(({ name }) => [name, values[name] ?? 'x'])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
