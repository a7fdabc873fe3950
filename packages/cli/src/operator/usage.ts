import { exportGroups } from '@tollgate/contracts/http/admin/usage.ts'
import { exitCodes, UsageError } from '../commands/command.ts'
import { type Action, createCommand, type Input } from '../commands/create-command.ts'
import { createAdminClient } from './admin-client.ts'
import { accountId } from './option-values.ts'

const groupNames: readonly string[] = exportGroups

const exportUsage: Action = {
  name: 'export',
  summary: 'Prints the ledger: by default this month, with a row for each account, day, key, model and upstream.',
  options: {
    csv: { value: null, text: 'as CSV (default); --json prints one JSON object in each line' },
    from: { value: 'DAY', text: 'first day, UTC; default: the first of this month' },
    to: { value: 'DAY', text: 'last day, included; default: today' },
    account: { value: 'ACCOUNT', text: 'only this account: its id, or its owner’s address' },
    group: { value: 'NAMES', text: `columns, with commas: ${exportGroups.join(',')} (default: all)` }
  },
  async run(input, io) {
    if (input.has('csv') && input.isJson) throw new UsageError('Give either --csv or --json.')
    const group = input.text('group')
    const unknown = group?.split(',').find((name) => !groupNames.includes(name))
    if (unknown !== undefined) throw new UsageError(`--group: "${unknown}" is not one of ${exportGroups.join(', ')}.`)
    const range = { from: dayOption(input, 'from'), to: dayOption(input, 'to') }
    const client = createAdminClient(io)
    const named = input.text('account')
    const account = named === null ? null : await accountId(client, named)
    const query = { ...range, account, group, format: input.isJson ? 'ndjson' : 'csv' }
    for await (const part of client.stream('/usage', query)) io.out(part)
    return exitCodes.done
  }
}

function dayOption(input: Input, option: string): string | null {
  const text = input.text(option)
  if (text !== null && (!/^20\d{2}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)))) {
    throw new UsageError(`--${option}: write a day such as 2026-11-23.`)
  }
  return text
}

export const usage = createCommand('usage', 'export what was used and what it cost', [exportUsage])
