import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { resolve4, resolve6 } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** An address is used at most this long, whatever its TTL says. */
const maxTtlMs = 60_000
/** How long an address is used whose TTL nobody knows, such as one of the hosts file. */
const unknownTtlMs = 5000

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** Where names and their TTLs are looked up. */
export interface NameSource {
  /** All addresses of a name, as the operating system orders them: hosts file, search domains and all. */
  addresses(name: string, found: Found): void
  /** The shortest TTL of a name's addresses in DNS, seconds. It rejects if DNS does not know the name. */
  ttl(name: string): Promise<number>
}

const system: NameSource = {
  addresses: (name, found) => lookup(name, { all: true }, found),
  async ttl(name) {
    const found = await Promise.allSettled([resolve4(name, { ttl: true }), resolve6(name, { ttl: true })])
    const ttls = found.flatMap((one) => (one.status === 'fulfilled' ? one.value.map(({ ttl }) => ttl) : []))
    if (ttls.length === 0) throw new Error(`DNS does not know ${name}`)
    return Math.min(...ttls)
  }
}

interface Entry {
  readonly addresses: LookupAddress[]
  endsAt: number
}

/**
 * Remembers the addresses of upstreams for their TTL, at most a minute: a new connection needs no look-up then. The
 * operating system finds the addresses and does not tell their TTL, so DNS is asked for that, beside the connection.
 */
export class NameCache {
  readonly #source: NameSource
  readonly #now: () => number
  readonly #known = new Map<string, Entry>()
  readonly #waiting = new Map<string, Found[]>()

  /** @param now monotonic clock, ms */
  constructor(source: NameSource = system, now: () => number = () => performance.now()) {
    this.#source = source
    this.#now = now
  }

  /** For the option `lookup` of `net.connect`. It knows no other options than `all` and `family`. */
  readonly lookup: LookupFunction = (name, options: LookupOptions, callback) => {
    this.#find(name, (error, addresses) => {
      const { all = false, family } = options
      const wanted = family === 4 || family === 6 ? addresses.filter((one) => one.family === family) : addresses
      const [first] = wanted
      if (error === null && first === undefined) {
        const missing = Object.assign(new Error(`${name} has no such address`), { code: 'ENOTFOUND' })
        callback(missing, '')
      } else if (error !== null) callback(error, '')
      else if (all) callback(null, wanted)
      else callback(null, first!.address, first!.family)
    })
  }

  /** Looks a name up again for the next connection: one to its addresses has failed. */
  forget(name: string): void {
    this.#known.delete(name)
  }

  #find(name: string, found: Found): void {
    const known = this.#known.get(name)
    if (known !== undefined && this.#now() < known.endsAt) {
      process.nextTick(found, null, known.addresses)
      return
    }
    const waiting = this.#waiting.get(name)
    if (waiting !== undefined) {
      waiting.push(found)
      return
    }
    this.#waiting.set(name, [found])
    this.#source.addresses(name, (error, addresses) => {
      const callers = this.#waiting.get(name)!
      this.#waiting.delete(name)
      if (error === null) this.#remember(name, addresses)
      for (const caller of callers) caller(error, addresses)
    })
  }

  #remember(name: string, addresses: LookupAddress[]): void {
    const foundAt = this.#now()
    const entry = { addresses, endsAt: foundAt + unknownTtlMs }
    this.#known.set(name, entry)
    this.#source.ttl(name).then(
      (seconds) => {
        entry.endsAt = foundAt + Math.min(maxTtlMs, seconds * 1000)
      },
      () => undefined // Then nobody knows it.
    )
  }
}

/** The names of all upstreams of this process. */
export const upstreamNames = new NameCache()
