import { slotCount } from '../keyspace/names.ts'
import type { HostPort } from './redis-url.ts'

export type SlotRange = readonly [first: number, last: number]

/** A server with the slots that it serves. */
export interface Master extends HostPort {
  readonly slots: readonly SlotRange[]
}

/** A master as one node sees it. */
export interface Claim extends Master {
  readonly id: string
  /** If two masters claim a slot, the one with the higher epoch serves it. */
  readonly epoch: number
  /** Whether the node describes itself. */
  readonly isOwn: boolean
}

/**
 * Reads the answer to `CLUSTER NODES` (https://redis.io/docs/latest/commands/cluster-nodes/). If a node announces a
 * host name, the name is used instead of its IP address, because its certificate is for the name.
 *
 * @param seed the address of the node that answered: it may not know its own address
 */
export function readClusterNodes(answer: string, seed: HostPort): Claim[] {
  return answer.split('\n').flatMap((line) => {
    const [id, address, flags, , , , epoch, , ...ranges] = line.trim().split(' ')
    const kinds = new Set(flags?.split(','))
    const slots = ranges.flatMap(readRange)
    if (id === undefined || address === undefined || !kinds.has('master') || slots.length === 0) return []
    const [, ip, port, name] = /^(.*):(\d+)(?:@\d+)?(?:,([^,]*))?/.exec(address) ?? []
    const host = name || ip || (kinds.has('myself') ? seed.host : undefined)
    if (host === undefined) return []
    return [{ id, host, port: Number(port), slots, epoch: Number(epoch), isOwn: kinds.has('myself') }]
  })
}

/** Reads `0-5460` or `7`. Slots that are being moved are in brackets, and skipped. */
function readRange(text: string): SlotRange[] {
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? []
  return first === undefined ? [] : [[Number(first), Number(last ?? first)]]
}

/**
 * Finds the master of each slot from the views of several nodes: the claim with the highest epoch wins. So the view of
 * a node that was cut off does not count if another node answers.
 */
export function mergeClaims(views: ReadonlyArray<readonly Claim[]>): Master[] {
  const claims = [...new Map(views.flat().map((claim) => [JSON.stringify(claim), claim])).values()]
  claims.sort(
    (one, other) =>
      one.epoch - other.epoch || Number(one.isOwn) - Number(other.isOwn) || (nameOf(one) < nameOf(other) ? -1 : 1)
  )
  const nameBySlot = new Array<string>(slotCount).fill('')
  for (const claim of claims) for (const [first, last] of claim.slots) nameBySlot.fill(nameOf(claim), first, last + 1)

  const masters = new Map(
    claims.map((claim) => [nameOf(claim), { host: claim.host, port: claim.port, slots: [] as SlotRange[] }])
  )
  for (let first = 0, next = 0; first < slotCount; first = next) {
    const name = nameBySlot[first]!
    while (next < slotCount && nameBySlot[next] === name) next++
    masters.get(name)?.slots.push([first, next - 1])
  }
  return [...masters.values()]
    .filter(({ slots }) => slots.length > 0)
    .sort((one, other) => one.slots[0]![0] - other.slots[0]![0])
}

/** A name that differs for each server. */
export const nameOf = ({ host, port }: HostPort): string => `${host} ${port}`
