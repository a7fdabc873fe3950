import { slotCount } from '../keyspace/slots.ts'
import type { HostPort } from './redis-url.ts'

export type SlotRange = readonly [first: number, last: number]

/** A server, and the slots that it serves. */
export type Master = HostPort & { readonly slots: readonly SlotRange[] }

/** A master as one node knows it. */
export type Claim = Master & {
  readonly id: string
  /** Of two that claim a slot, the one with the higher epoch has it. */
  readonly epoch: number
  /** Whether the node speaks of itself. */
  readonly isOwn: boolean
}

/**
 * Reads the answer to `CLUSTER NODES` (https://redis.io/docs/latest/commands/cluster-nodes/). A node that announces a
 * host name is reached by it, since that is what its certificate is for.
 *
 * @param asked where the node was reached that answered: it may not know its own address
 */
export function readClusterNodes(answer: string, asked: HostPort): Claim[] {
  return answer.split('\n').flatMap((line) => {
    const [id, address, flags, , , , epoch, , ...ranges] = line.trim().split(' ')
    const kinds = new Set(flags?.split(','))
    const slots = ranges.flatMap(readRange)
    if (id === undefined || address === undefined || !kinds.has('master') || slots.length === 0) return []
    const [, ip, port, name] = /^(.*):(\d+)(?:@\d+)?(?:,([^,]*))?/.exec(address) ?? []
    const host = name || ip || (kinds.has('myself') ? asked.host : undefined)
    if (host === undefined) return []
    return [{ id, host, port: Number(port), slots, epoch: Number(epoch), isOwn: kinds.has('myself') }]
  })
}

/** `0-5460`, `7`; what is in brackets is a slot on its way. */
function readRange(text: string): SlotRange[] {
  const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? []
  return first === undefined ? [] : [[Number(first), Number(last ?? first)]]
}

/**
 * Who serves which slots, by what several nodes say: of each slot the one whose claim has the highest epoch, so that a node
 * which was cut off is not believed if any other can be asked.
 */
export function mergeClaims(views: ReadonlyArray<readonly Claim[]>): Master[] {
  const claims = [...new Map(views.flat().map((claim) => [JSON.stringify(claim), claim])).values()]
  claims.sort(
    (one, other) =>
      one.epoch - other.epoch || Number(one.isOwn) - Number(other.isOwn) || (nameOf(one) < nameOf(other) ? -1 : 1)
  )
  const holders = new Array<string>(slotCount).fill('')
  for (const claim of claims) for (const [first, last] of claim.slots) holders.fill(nameOf(claim), first, last + 1)

  const masters = new Map(
    claims.map((claim) => [nameOf(claim), { host: claim.host, port: claim.port, slots: [] as SlotRange[] }])
  )
  for (let first = 0, next = 0; first < slotCount; first = next) {
    const holder = holders[first]!
    while (next < slotCount && holders[next] === holder) next++
    masters.get(holder)?.slots.push([first, next - 1])
  }
  return [...masters.values()]
    .filter(({ slots }) => slots.length > 0)
    .sort((one, other) => one.slots[0]![0] - other.slots[0]![0])
}

/** Tells servers from each other. */
export const nameOf = ({ host, port }: HostPort): string => `${host} ${port}`
