import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Redis, Result } from 'ioredis'
import { expandLayouts } from '../layout/layouts.ts'

/**
 * All scripts, by the name of the command that runs them. The Lua files describe arguments and answers. A command
 * without `numberOfKeys` takes that number as its first argument.
 */
const scripts: Record<string, { file: string; numberOfKeys?: number }> = {
  tgPutRecords: { file: 'projection/put-records.lua' },
  tgFindTombstones: { file: 'projection/find-tombstones.lua', numberOfKeys: 1 },
  tgSweepTombstones: { file: 'projection/sweep-tombstones.lua' },
  tgPutCatalog: { file: 'projection/put-catalog.lua', numberOfKeys: 1 },
  tgPutPointers: { file: 'projection/put-pointers.lua' },
  tgFindFilled: { file: 'link/find-filled.lua' },
  tgReadMarkers: { file: 'projection/read-markers.lua' },
  tgReadKeys: { file: 'projection/read-keys.lua' },
  tgReadPointer: { file: 'projection/read-pointer.lua', numberOfKeys: 2 },
  tgClaimShard: { file: 'projection/claim-shard.lua', numberOfKeys: 1 },
  tgMarkVerified: { file: 'projection/mark-verified.lua', numberOfKeys: 1 },
  tgOpenMonth: { file: 'projection/open-month.lua', numberOfKeys: 1 },
  tgConfirm: { file: 'admission/confirm.lua', numberOfKeys: 2 },
  tgReadCounters: { file: 'admission/read-counters.lua', numberOfKeys: 2 },
  tgFindOutdated: { file: 'admission/find-outdated.lua' },
  tgAdmit: { file: 'admission/admit.lua' },
  tgSettleHeld: { file: 'settlement/settle-held.lua' },
  tgSettle: { file: 'settlement/settle.lua' },
  tgCancel: { file: 'settlement/cancel.lua' },
  tgReap: { file: 'settlement/reap.lua' },
  tgFindOverdue: { file: 'settlement/find-overdue.lua', numberOfKeys: 1 },
  tgOpenSpends: { file: 'spend/open-spends.lua' },
  tgSeedSpend: { file: 'spend/seed-spend.lua', numberOfKeys: 1 },
  tgReadBudgets: { file: 'spend/read-budgets.lua', numberOfKeys: 1 },
  tgCorrectBudgets: { file: 'spend/correct-budgets.lua', numberOfKeys: 1 },
  tgForgetUsage: { file: 'usage/forget-usage.lua' },
  tgCountAttempt: { file: 'rate-limit/count-attempt.lua', numberOfKeys: 1 },
  tgNoteUses: { file: 'last-uses/note-uses.lua', numberOfKeys: 1 },
  tgForgetUses: { file: 'last-uses/forget-uses.lua', numberOfKeys: 1 },
  tgRememberIds: { file: 'stored-ids/remember-ids.lua', numberOfKeys: 2 },
  tgClaimRequest: { file: 'idempotency/claim.lua', numberOfKeys: 1 },
  tgKeepAnswer: { file: 'idempotency/keep.lua', numberOfKeys: 1 },
  tgDropClaim: { file: 'idempotency/drop.lua', numberOfKeys: 1 },
  tgNoteReceipts: { file: 'receipts/note-receipts.lua' },
  tgNoteProcess: { file: 'processes/note-process.lua', numberOfKeys: 1 },
  tgAddServed: { file: 'served/add-served.lua', numberOfKeys: 1 }
}

/** Records as a script returns them. */
export type RawRecords = [keyVersion: string, keyRecord: string, accountVersion: string, accountRecord: string]

/** A script, and the SHA-1 by which a server finds it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

const sources = Object.entries(scripts).map(([name, { file, numberOfKeys }]) => ({
  name,
  numberOfKeys,
  lua: expandLayouts(readScript(file))
}))

/** Replaces each line `--include <file>` with that file. Paths begin at `src`. Lua in Redis has no modules. */
function readScript(file: string): string {
  const lua = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  return lua.replace(/^--include (\S+)$/gm, (_line, part: string) => readScript(part))
}

/**
 * Defines the scripts as commands of a client.
 *
 * @returns the scripts by the names of their commands
 */
export function defineScripts(client: Redis): Map<string, Script> {
  return new Map(
    sources.map(({ name, numberOfKeys, lua }) => {
      client.defineCommand(name, { numberOfKeys, lua })
      return [name, { lua, sha: hash('sha1', lua) }]
    })
  )
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    tgPutRecords(numberOfKeys: number, ...keysAndArguments: Array<string | number>): Result<Array<1 | 0 | -1>, Context>
    tgFindTombstones(tombstones: string, keptMs: number, max: number): Result<string[], Context>
    tgSweepTombstones(numberOfKeys: number, ...keysAndTombstones: string[]): Result<number, Context>
    tgPutCatalog(catalog: string, version: number, run: string, json: string): Result<0 | 1, Context>
    tgPutPointers(numberOfKeys: number, ...keysAndArguments: Array<string | number>): Result<1, Context>
    tgReadKeys(
      numberOfKeys: number,
      ...keysAndIds: string[]
    ): Result<[verified: string, since: string, ...Array<string | 0 | 1>], Context>
    tgConfirm(...keysAndArguments: string[]): Result<'admitted' | 'ended' | 'unverified' | RawRecords, Context>
    tgReadCountersBuffer(
      ...keysAndArguments: string[]
    ): Result<Buffer | [now: Buffer, account: Buffer, key: Buffer], Context>
    tgFindOutdated(numberOfKeys: number, ...keysAndArguments: string[]): Result<number[], Context>
    tgReadPointer(pointer: string, marker: string, run: string): Result<string | 0 | -1, Context>
    tgClaimShard(marker: string, token: string): Result<[version: string, run: string], Context>
    tgMarkVerified(
      marker: string,
      token: string,
      fromVersion: string,
      fromRun: string,
      toVersion: number,
      toRun: string,
      month: number,
      lostRuns: string
    ): Result<0 | 1, Context>
    tgOpenMonth(marker: string, run: string, month: number): Result<0 | 1, Context>
    tgFindOverdue(deadlines: string, max: number): Result<string[], Context>
    tgOpenSpends(numberOfKeys: number, ...spendsAndMonth: Array<string | number>): Result<string[], Context>
    tgSeedSpend(
      spend: string,
      month: number,
      seen: string,
      settled: number,
      ...keysAndAmounts: Array<string | number>
    ): Result<0 | 1 | 2, Context>
    tgReadBudgetsBuffer(account: string, count: number, ...fieldsAndKeys: string[]): Result<Buffer[], Context>
    tgCorrectBudgets(account: string, ...budgets: Array<string | number>): Result<Array<0 | 1>, Context>
    tgForgetUsage(numberOfKeys: number, ...keysAndArguments: Array<string | number>): Result<1, Context>
    tgCountAttempt(counter: string, windowMs: number): Result<[attempts: number, leftMs: number], Context>
    tgNoteUses(uses: string, ...keysAndTimes: Array<string | number>): Result<1, Context>
    tgForgetUses(uses: string, ...keysAndTimes: Array<string | number>): Result<1, Context>
    tgRememberIds(ids: string, older: string, ...limitsAndIds: Array<string | number>): Result<1, Context>
    tgNoteProcess(processes: string, id: string, report: string): Result<1, Context>
    tgAddServed(
      hour: string,
      reporter: string,
      sequence: number,
      keptSeconds: number,
      ...modelsAndRows: Array<string | Buffer>
    ): Result<0 | 1, Context>
  }
}
