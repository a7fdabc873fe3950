import type { SettledGroup } from '@tollgate/state/settlement/settle.ts'
import type { SettledRequest } from '@tollgate/state/settlement/settlement-sums.ts'
import type { PreparedAccount } from '@tollgate/state/wire/packed.ts'

/** Maximum requests per command, so that admissions wait for less than a millisecond. */
const maxPerCommand = 40

/** Waiting settlements and cancellations of one account. */
interface Outbox {
  readonly account: PreparedAccount
  requests: SettledRequest[]
  /** Requests that Redis may have applied, by the run ids of Redis at that time: see `SettledGroup`. */
  retried: Map<string, SettledRequest[]>
  cancelled: string[]
}

/** One command that cancels requests of an account. */
export interface CancelledGroup {
  readonly account: PreparedAccount
  readonly ids: readonly string[]
}

/** Collects settlements and cancellations by account, and splits them into commands of limited size. */
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

  /** Empties the outboxes. @returns the contents of each command */
  takeAll(): { settled: SettledGroup[][]; cancelled: CancelledGroup[] } {
    const outboxes = this.#byAccount
    this.#byAccount = new Map()
    const batches = new Batches()
    const cancelled: CancelledGroup[] = []
    for (const { account, requests, retried, cancelled: ids } of outboxes.values()) {
      batches.add(account, requests, '')
      for (const [tried, again] of retried) batches.add(account, again, tried)
      for (let from = 0; from < ids.length; from += maxPerCommand) {
        cancelled.push({ account, ids: ids.slice(from, from + maxPerCommand) })
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

/** Combines groups up to the size of one command. */
class Batches {
  readonly all: SettledGroup[][] = []
  #last: SettledGroup[] = []
  #count = maxPerCommand

  add(account: PreparedAccount, requests: readonly SettledRequest[], tried: string): void {
    for (let from = 0; from < requests.length; from += maxPerCommand) {
      const some = requests.length <= maxPerCommand ? requests : requests.slice(from, from + maxPerCommand)
      if (this.#count + some.length > maxPerCommand) {
        this.#last = []
        this.#count = 0
        this.all.push(this.#last)
      }
      this.#last.push({ account, requests: some, tried })
      this.#count += some.length
    }
  }
}
