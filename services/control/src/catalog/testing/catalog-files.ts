import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { OfferedPlan } from '@tollgate/contracts/http/billing.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { LiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import type { RunningControl } from '../../testing/running-control.ts'

const shipped = readFileSync(workspaceFile('deploy/catalog.yaml'), 'utf8')

/** The shipped catalog, but the plan `pro` has this many keys. */
export const withKeyQuota = (quota: number): string => shipped.replace('key_quota: 5\n', `key_quota: ${quota}\n`)

/** A catalog with a route to an upstream that no gateway has. */
export const withUpstream = (upstream: string): string =>
  shipped.replace('route: [{ upstream: openai }]', `route: [{ upstream: ${upstream} }]`)

/**
 * The upstreams of gateways that have those of the shipped catalog: OpenAI's and others are set up, the rest is left
 * out.
 */
export const shippedUpstreams = (...others: string[]): LiveUpstreams => ({
  served: new Set(['openai', ...others]),
  leftOut: new Set(
    [...shipped.matchAll(/upstream: ([a-z]+)/g)].map(([, name]) => name!).filter((name) => name !== 'openai')
  ),
  withoutListPrices: 0,
  withoutAddresses: 0,
  withoutBudgets: 0
})

/** Writes a file. @returns its path */
export function writeFile(directory: string, name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

/** The keys of the plan `pro` in the catalog by which a replica answers. */
export async function quotaAt(control: Pick<RunningControl, 'call'>): Promise<number | null> {
  const { body } = await control.call('GET', '/api/billing/plans')
  return (body as { plans: OfferedPlan[] }).plans.find(({ id }) => id === 'pro')!.key_quota
}

/** Waits until a replica answers by the catalog with this many keys. @returns milliseconds */
export async function untilQuota(control: Pick<RunningControl, 'call'>, quota: number): Promise<number> {
  const startedAt = performance.now()
  while ((await quotaAt(control)) !== quota) await delay(5)
  return Math.round(performance.now() - startedAt)
}

/** Waits for a line in the log of control. @returns it */
export async function untilLogged({ logged }: Pick<RunningControl, 'logged'>, text: string | RegExp): Promise<string> {
  for (;;) {
    const line = logged.find((one) => (typeof text === 'string' ? one.includes(text) : text.test(one)))
    if (line !== undefined) return line
    await delay(5)
  }
}
