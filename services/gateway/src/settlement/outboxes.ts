import type { SettledGroup } from '@tollgate/state/settlement/settle.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settled-request.ts'
import type { PreparedAccount } from '@tollgate/state/wire/prepared-account.ts'

/** Requests that one script settles: few enough to keep admissions waiting for less than a millisecond. */
const maxTogether = 40

/** What Redis has to be told about the requests of one account. */
interface Outbox {
  readonly account: PreparedAccount
  requests: SettledRequest[]
  /** Requests that were sent and perhaps applied, by the run ids of Redis at that time: see `SettledGroup`. */
  retried: Map<string, SettledRequest[]>
  cancelled: string[]
}

/** One command that cancels requests of an account. */
export interface CancelledGroup {
  readonly account: PreparedAccount
  readonly ids: readonly string[]
}

/** Gathers settlements and cancellations by account, until they are taken as commands of limited size. */
export class Outboxes {
  #byAccount = new Map<string, Outbox>()

  addSettled(account: PreparedAccount, request: SettledRequest): void {
    this.#of(account).requests.push(request)
  }

  /** @param tried the run ids of Redis that may have applied the requests; empty for none */
  addTried(account: PreparedAccount, requests: readonly SettledRequest[], tried: string): void {
    const { requests: fresh, retried } = this.#of(account)
    if (tried === '') fresh.push(...requests)
    else retried.set(tried, [...(retried.get(tried) ?? []), ...requests])
  }

  addCancelled(account: PreparedAccount, ids: readonly string[]): void {
    this.#of(account).cancelled.push(...ids)
  }

  /** Empties the outboxes. @returns what one command each settles or cancels */
  takeAll(): { settled: SettledGroup[][]; cancelled: CancelledGroup[] } {
    const outboxes = this.#byAccount
    this.#byAccount = new Map()
    const batches = new Batches()
    const cancelled: CancelledGroup[] = []
    for (const { account, requests, retried, cancelled: ids } of outboxes.values()) {
      batches.add(account, requests, '')
      for (const [tried, again] of retried) batches.add(account, again, tried)
      for (let from = 0; from < ids.length; from += maxTogether) {
        cancelled.push({ account, ids: ids.slice(from, from + maxTogether) })
      }
    }
    return { settled: batches.all, cancelled }
  }

  #of(account: PreparedAccount): Outbox {
    let outbox = this.#byAccount.get(account.account)
    if (outbox === undefined) {
      outbox = { account, requests: [], retried: new Map(), cancelled: [] }
      this.#byAccount.set(account.account, outbox)
    }
    return outbox
  }
}

/** Puts groups together, up to the size of one command. */
class Batches {
  readonly all: SettledGroup[][] = []
  #last: SettledGroup[] = []
  #count = maxTogether

  add(account: PreparedAccount, requests: readonly SettledRequest[], tried: string): void {
    for (let from = 0; from < requests.length; from += maxTogether) {
      const some = requests.length <= maxTogether ? requests : requests.slice(from, from + maxTogether)
      if (this.#count + some.length > maxTogether) {
        this.#last = []
        this.#count = 0
        this.all.push(this.#last)
      }
      this.#last.push({ account, requests: some, tried })
      this.#count += some.length
    }
  }
}
