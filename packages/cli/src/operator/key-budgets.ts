import { randomUUID } from 'node:crypto'
import type { KeyBudgetTerms, UsedKeyBudget } from '@tollgate/contracts/http/budgets.ts'
import { GetKeyResponse, KeyResponse } from '@tollgate/contracts/http/keys.ts'
import { type BudgetWindow, budgetWindows } from '@tollgate/contracts/records/budget-windows.ts'
import type { Static, TSchema } from 'typebox'
import { type CommandIo, exitCodes, UsageError } from '../commands/command.ts'
import { type Action, type Input, show, table } from '../commands/create-command.ts'
import { controlUrl, failureOf, readAnswer, type SendOptions, send } from './control-api.ts'
import { numberOption } from './option-values.ts'

const variable = 'TOLLGATE_MANAGEMENT_KEY'

/** `key budget`: the budgets of a key, by the management key of its account. */
export const budget: Action = {
  name: 'budget',
  summary: `Shows the budgets of a key, or sets some of them. The management key of its account is in ${variable}.`,
  operands: ['KEY'],
  options: {
    day: { value: 'USD', text: 'budget of each day (UTC); "none" removes it' },
    week: { value: 'USD', text: 'of each week, from Monday' },
    month: { value: 'USD', text: 'of each month' },
    lifetime: { value: 'USD', text: 'for ever' }
  },
  async run(input, io) {
    const path = keyPath(input)
    const read = async () => (await call(io, GetKeyResponse, 'GET', path)).key.budgets
    const changes = budgetWindows.filter((window) => input.has(window))
    const before = await read()
    if (changes.length > 0) {
      const kept = before
        .filter(({ window, models }) => models !== null || !changes.includes(window))
        .map(({ window, models, limit_usd }): KeyBudgetTerms => ({ window, models, limit_usd }))
      const set = changes.flatMap((window) => wantedBudget(input, window) ?? [])
      await call(io, KeyResponse, 'PATCH', path, { body: { budgets: [...kept, ...set] } })
    }
    const budgets = changes.length > 0 ? await read() : before
    show(input, io, { budgets }, () => describe(budgets))
    return exitCodes.done
  }
}

/** `key top-up`: more of the budget for ever. */
export const topUp: Action = {
  name: 'top-up',
  summary: `Adds to the lifetime budget of a key. Two calls at once both count. The management key is in ${variable}.`,
  operands: ['KEY'],
  options: {
    usd: { value: 'USD', text: 'how much (required)' },
    once: { value: 'TEXT', text: 'a name of this top-up: repeated within 24 hours, it adds nothing' }
  },
  async run(input, io) {
    input.required('usd')
    const body = { add_usd: numberOption(input, 'usd') }
    const headers = { 'idempotency-key': input.text('once') ?? randomUUID() }
    const path = keyPath(input)
    await call(io, KeyResponse, 'POST', `${path}/top-up`, { body, headers })
    const { budgets } = (await call(io, GetKeyResponse, 'GET', path)).key
    show(input, io, { budgets }, () => describe(budgets))
    return exitCodes.done
  }
}

const keyPath = ({ operands }: Input): string => `/api/keys/${encodeURIComponent(operands[0]!)}`

/** @returns null for "none" @throws UsageError */
function wantedBudget(input: Input, window: BudgetWindow): KeyBudgetTerms | null {
  return input.text(window) === 'none' ? null : { window, limit_usd: numberOption(input, window)! }
}

const describe = (budgets: readonly UsedKeyBudget[]): string =>
  table(
    [
      ['WINDOW', 'MODELS', 'LIMIT', 'SPENT', 'RESERVED', 'LEFT', 'RESETS'],
      ...budgets.map(({ window, models, limit_usd, use }) => [
        ...[window, models?.join(' ') ?? 'all', limit_usd],
        ...(use === null
          ? ['unknown', 'unknown', 'unknown', 'unknown']
          : [use.spent_usd, use.reserved_usd, use.remaining_usd, use.resets_at ?? 'never'])
      ])
    ],
    'The key has no budget.'
  )

/** Calls control with the management key. @throws CommandError */
async function call<Schema extends TSchema>(
  io: CommandIo,
  schema: Schema,
  method: string,
  path: string,
  options: Pick<SendOptions, 'body' | 'headers'> = {}
): Promise<Static<Schema>> {
  const key = io.env[variable]
  if (!key) throw new UsageError(`Set ${variable} to a management key of the account. Create one in its dashboard.`)
  const url = controlUrl(null, io.env)
  const headers = { ...options.headers, authorization: `Bearer ${key}` }
  const answer = await send(url, method, path, { ...options, headers })
  if (!answer.ok) throw failureOf(url, answer.status, answer.text)
  return readAnswer(schema, answer.text)
}
