import { resolve } from 'node:path'
import {
  AdminLedgerResponse,
  AdminReceiptsResponse,
  type LedgerDifference
} from '@tollgate/contracts/http/admin/ledger.ts'
import { ExportedUsage } from '@tollgate/contracts/http/admin/usage.ts'
import { Value } from 'typebox/value'
import { CommandError, exitCodes, UsageError } from '../commands/command.ts'
import { type Action, createCommand, type Input, show } from '../commands/create-command.ts'
import { type AdminClient, createAdminClient } from './admin-client.ts'
import {
  addReceipts,
  type ComparedLedger,
  type ComparedReceipts,
  describeVerification,
  isExplained
} from './describe-ledger.ts'
import { instantOption, monthOption, numberOption } from './option-values.ts'
import { type ComparedUsage, compareUsage, type DailyUsage, readProviderUsage } from './provider-usage.ts'

const defaultTolerance = 1
/** Nobody reads more. */
const maxDifferences = 1000

const verify: Action = {
  name: 'verify',
  summary:
    'Compares the ledger with what Redis has counted, with the receipts of requests, and with exports of providers.',
  options: {
    month: { value: 'MONTH', text: 'default: this month, UTC; Redis has counters of this month only' },
    from: { value: 'TIME', text: 'compare receipts from this time on; default: since the request log began' },
    provider: { value: 'FILE', text: 'a provider’s usage export as CSV', isRepeatable: true },
    map: { value: 'THEIRS=OURS', text: 'a model’s name at the provider, and in the catalog', isRepeatable: true },
    tolerance: { value: 'PERCENT', text: 'allowed difference to a provider; default 1' }
  },
  async run(input, io) {
    const tolerance = numberOption(input, 'tolerance') ?? defaultTolerance
    const names = readNames(input)
    const month = monthOption(input, 'month')
    const provider: DailyUsage[] = []
    for (const file of input.texts('provider')) provider.push(...(await readProviderUsage(resolve(io.cwd, file))))
    const client = createAdminClient(io)
    const compared = await compareRedis(client, month)
    const receipts = await compareReceipts(client, instantOption(input, 'from'))
    const ofProviders = await compareProviders(client, provider, names, tolerance)
    const isFine =
      isExplained(receipts) &&
      compared.differences.every(({ is_normal }) => is_normal) &&
      ofProviders.every(({ isWithinTolerance }) => isWithinTolerance)
    const result = { ok: isFine, ledger: compared, receipts, tolerance_percent: tolerance, provider: ofProviders }
    show(input, io, result, () => describeVerification(compared, receipts, ofProviders, tolerance))
    return isFine ? exitCodes.done : exitCodes.failed
  }
}

async function compareRedis(client: AdminClient, month: string | null): Promise<ComparedLedger> {
  const differences: LedgerDifference[] = []
  let accounts = 0
  let cursor: string | null = null
  for (;;) {
    const query = { month, limit: '100', cursor }
    const page: AdminLedgerResponse = await client.call(AdminLedgerResponse, 'GET', '/ledger', { query })
    accounts += page.ledger.accounts
    differences.push(...page.ledger.differences)
    cursor = page.next_cursor
    const { month: of, is_compared } = page.ledger
    const isEnough = differences.length >= maxDifferences
    if (cursor === null || isEnough) return { month: of, is_compared, accounts, differences, is_complete: !isEnough }
  }
}

async function compareReceipts(client: AdminClient, from: string | null): Promise<ComparedReceipts> {
  let all: ComparedReceipts | null = null
  let cursor: string | null = null
  do {
    const query = { from, cursor }
    const page: AdminReceiptsResponse = await client.call(AdminReceiptsResponse, 'GET', '/ledger/receipts', { query })
    all = all === null ? page.receipts : addReceipts(all, page.receipts)
    cursor = page.next_cursor
  } while (cursor !== null && all.differences.length < maxDifferences)
  return all
}

async function compareProviders(
  client: AdminClient,
  provider: readonly DailyUsage[],
  names: ReadonlyMap<string, string>,
  tolerance: number
): Promise<ComparedUsage[]> {
  const days = provider.map(({ day }) => day).sort()
  if (days.length === 0) return []
  const query = { from: days[0]!, to: days.at(-1)!, group: 'day,model', format: 'ndjson' }
  const ledger: DailyUsage[] = []
  let rest = ''
  for await (const part of client.stream('/usage', query)) {
    const lines = (rest + part).split('\n')
    rest = lines.pop()!
    for (const line of lines) ledger.push(readLine(line))
  }
  return compareUsage(ledger, provider, names, tolerance)
}

function readLine(line: string): DailyUsage {
  const row: unknown = JSON.parse(line)
  if (!Value.Check(ExportedUsage, row)) {
    throw new CommandError(
      'Control’s export has an unknown form. Use the tollgate command of the release that control runs.'
    )
  }
  return {
    day: row.day!,
    model: row.model!,
    requests: row.requests,
    inputTokens: row.prompt_tokens,
    outputTokens: row.completion_tokens,
    costUsd: Number(row.cost_usd)
  }
}

function readNames(input: Input): Map<string, string> {
  return new Map(
    input.texts('map').map((pair): [string, string] => {
      const at = pair.indexOf('=')
      if (at < 1 || at === pair.length - 1) throw new UsageError(`--map: "${pair}" is not THEIRS=OURS.`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    })
  )
}

export const ledger = createCommand('ledger', 'check the ledger against Redis and providers', [verify])
