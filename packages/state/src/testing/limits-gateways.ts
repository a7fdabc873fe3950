import assert from 'node:assert/strict'
import { countOf, measuredCounters, rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { nothingCounted } from '@tollgate/contracts/requests/receipt.ts'
import type { AdmitAnswer, Allowances } from '../admission/admit.ts'
import type { SettledRequest } from '../settlement/settlement-sums.ts'
import type { Action, Delivery, RequestContent, Usage } from './limits-actions.ts'
import { type Asking, accounts, type Dump, keys, type LimitsWorld } from './limits-world.ts'
import { aReceipt } from './one-account.ts'
import { isCountedBy } from './windows-model.ts'

/** The state of a request at its gateway. */
interface Request {
  asking: Asking
  /** `doubt`: no answer came, so it must be cancelled. `abandoned`: its gateway has died. */
  stage: 'doubt' | 'admitted' | 'settling' | 'settled' | 'cancelled' | 'abandoned'
  /** Whether the admission may still arrive late. */
  isUnderWay: boolean
  hold: { at: number; nanos: number; grantedTokens: number; tokensRestMs: number } | null
  settlement: SettledRequest | null
  /** Tags of the runs that a settlement may have reached, and whether one was applied. */
  tried: readonly string[]
  isApplied: boolean
}

/** Gateways that use the accounts of a world, lose answers and crash. */
export class LimitsGateways {
  readonly #world: LimitsWorld
  readonly #requests: Request[] = []
  readonly #terms = accounts.map(
    (): Allowances => ({
      keyBudgetNanos: null,
      accountBudgetNanos: 20_000,
      adjusted: null,
      keyRequests: null,
      keyRequestBurst: null,
      requests: 30,
      requestBurst: 20,
      tokens: 5000,
      tokenBurst: 900,
      concurrentRequests: 5,
      requestNanos: 5000,
      windows: []
    })
  )
  #dump: Dump | null = null
  #hasLost = false

  constructor(world: LimitsWorld) {
    this.#world = world
  }

  /** Does one action, and checks what Redis answers. */
  async act(action: Action): Promise<void> {
    switch (action.do) {
      case 'admit':
        return this.#admit(action)
      case 'together':
        return this.#admitTogether(action.requests, action.holdMs)
      case 'again': {
        const request = this.#pick(action.pick, 'admitted')
        // A gateway does not repeat a request after Redis lost its hold.
        if (request !== undefined && this.#world.model(request.asking.account).holds.has(request.asking.id)) {
          await this.#world.admit({ ...request.asking, reaped: true })
        }
        return
      }
      case 'late': {
        const underWay = this.#requests.filter(({ isUnderWay }) => isUnderWay)
        const request = underWay[action.pick % Math.max(1, underWay.length)]
        if (request === undefined) return
        request.isUnderWay = false
        // Entries of cancelled requests are kept for a day: no command is later.
        const isKept = this.#world.model(request.asking.account).endedUntil > Math.floor(this.#world.micros() / 1000)
        if (request.stage === 'cancelled' && !isKept) return
        const answer = await this.#world.admit(request.asking)
        // Overdue holds stop any decision.
        const outcomes = ['cancelled', 'overdue']
        if (request.stage === 'cancelled' && this.#world.isVerified()) assert.ok(outcomes.includes(answer.outcome))
        return
      }
      case 'crash': {
        const request = this.#pick(action.pick, 'admitted') ?? this.#pick(action.pick, 'settling')
        if (request !== undefined) request.stage = 'abandoned'
        return
      }
      case 'refuse':
        await this.#world.admit(this.#askingOf(action.account, { [action.as]: true }))
        return
      case 'cancel':
        return this.#cancel(action.account, action.most, action.delivery)
      case 'settle':
        return this.#settle([action.account], action.most, action.delivery, action.usage)
      case 'settle both':
        return this.#settle([0, 1], action.most, action.delivery, action.usage)
      case 'reap':
        return this.#world.reap(accounts[action.account]!, action.most)
      case 'pass':
        await this.#world.setTime(this.#world.micros() + action.millis * 1000 + (action.millis % 1000))
        return this.#world.compare()
      case 'terms':
        this.#terms[action.account] = action.allowances
        await this.#world.change()
        // A budget that was not in force may have missed requests.
        return this.#world.correctBudgets(accounts[action.account]!, 'set')
      case 'copy':
        return this.#world.copy()
      case 'verify':
        if (!this.#world.isVerified()) await this.#world.verify()
        return
      case 'month':
        return this.#world.openMonth()
      case 'dump':
        this.#dump = await this.#world.dump()
        return
      case 'restart':
        this.#hasLost ||= action.from !== 'present'
        return this.#restart(action.from)
    }
  }

  /**
   * Ends all open requests: live gateways settle or cancel theirs, and holds of dead gateways reach their deadlines.
   */
  async finish(): Promise<void> {
    if (!this.#world.isVerified()) await this.#world.verify()
    for (const number of [0, 1]) {
      await this.#cancel(number, Infinity, 'answered')
      await this.#settle([number], Infinity, 'answered', { share: 0.5, failed: false, estimated: false })
    }
    // The clock may have been set back.
    const deadlines = accounts.flatMap((id) =>
      [...this.#world.model(id).holds.values()].map(({ deadline }) => deadline * 1000)
    )
    await this.#world.setTime(Math.max(this.#world.micros(), ...deadlines) + 1e6)
    for (const id of accounts) {
      await this.#world.reap(id, 1000)
      assert.equal(this.#world.model(id).holds.size, 0)
      assert.equal(this.#world.model(id).firstDeadline, null)
    }
    if (this.#hasLost) return
    for (const id of accounts) {
      this.#checkCharges(id)
      await this.#checkReceipts(id)
    }
  }

  #askingOf(number: number, request: Partial<Asking>): Asking {
    const asking = {
      account: accounts[number]!,
      id: `req_${this.#requests.length}`,
      key: keys[0],
      model: 'a-model',
      bound: { promptPicos: 1, promptTokens: 1, outputPicos: 1, outputTokens: 1, wantedTokens: 1, minTokens: 1 },
      allowances: this.#terms[number]!,
      holdMs: 1000,
      reaped: false,
      ...request
    }
    const windows = asking.allowances.windows.filter(({ field }) => isCountedBy(field, asking))
    return { ...asking, allowances: { ...asking.allowances, windows } }
  }

  async #ask(asking: Asking) {
    const answer = await this.#world.admit(asking)
    if (answer.outcome !== 'overdue') return answer
    await this.#world.reap(asking.account, 3)
    return this.#world.admit({ ...asking, reaped: true })
  }

  async #admit(action: Action & { do: 'admit' }): Promise<void> {
    const request = this.#newRequest(action, action.holdMs)
    request.isUnderWay = action.delivery === 'unsent'
    if (!isExecuted(action.delivery)) return
    const answer = await this.#ask(request.asking)
    if (action.delivery !== 'executed') this.#takeAnswer(request, answer)
  }

  #newRequest({ account, key, model, bound }: RequestContent, holdMs: number): Request {
    const asking = this.#askingOf(account, { key: keys[key]!, model: `model ${model}|x`, bound, holdMs })
    const request: Request = {
      asking,
      stage: 'doubt',
      isUnderWay: false,
      hold: null,
      settlement: null,
      tried: [],
      isApplied: false
    }
    this.#requests.push(request)
    return request
  }

  #takeAnswer(request: Request, answer: AdmitAnswer): void {
    if (answer.outcome !== 'admitted') request.stage = 'abandoned'
    else Object.assign(request, { stage: 'admitted', hold: answer })
  }

  async #admitTogether(contents: readonly RequestContent[], holdMs: number): Promise<void> {
    const together = contents.map((one) => this.#newRequest(one, holdMs))
    const answers = await this.#world.admitTogether(together.map(({ asking }) => asking))
    for (const [index, request] of together.entries()) this.#takeAnswer(request, answers[index]!)
  }

  #pick(number: number, stage: Request['stage']): Request | undefined {
    const those = this.#requests.filter((request) => request.stage === stage)
    return those[number % Math.max(1, those.length)]
  }

  #some(number: number, stages: Array<Request['stage']>, most: number): Request[] {
    return this.#requests
      .filter(({ asking, stage }) => asking.account === accounts[number] && stages.includes(stage))
      .slice(0, most)
  }

  async #cancel(number: number, most: number, delivery: Delivery): Promise<void> {
    const doubtful = this.#some(number, ['doubt'], most)
    if (doubtful.length === 0 || !isExecuted(delivery)) return
    await this.#world.cancel(
      accounts[number]!,
      doubtful.map(({ asking }) => asking.id)
    )
    if (delivery === 'answered') for (const request of doubtful) request.stage = 'cancelled'
  }

  async #settle(numbers: number[], most: number, delivery: Delivery, of: Usage): Promise<void> {
    const chosen = numbers.flatMap((number) => this.#some(number, ['admitted', 'settling'], most))
    if (chosen.length === 0) return
    for (const request of chosen) {
      request.settlement ??= settlementOf(request, of)
      request.stage = 'settling'
    }
    const groups = [...Map.groupBy(chosen, ({ asking, tried }) => `${asking.account} ${tried.join('')}`).values()]
    const done = isExecuted(delivery)
      ? await this.#world.settle(
          groups.map((of) => ({
            account: of[0]!.asking.account,
            requests: of.map(({ settlement }) => settlement!),
            tried: of[0]!.tried
          }))
        )
      : new Set<string>()
    const { tag } = this.#world.now()
    for (const request of chosen) {
      request.isApplied ||= done.has(request.asking.id)
      // A gateway cannot tell a lost command from a lost answer. It knows only whether it was connected.
      const isUnheard = delivery === 'executed' || delivery === 'swallowed'
      if (isUnheard && !request.tried.includes(tag)) request.tried = [...request.tried, tag]
      if (delivery === 'answered' && done.has(request.asking.id)) request.stage = 'settled'
    }
  }

  async #restart(from: 'present' | 'dump' | 'nothing'): Promise<void> {
    const data = from === 'present' ? await this.#world.dump() : from === 'dump' ? this.#dump : null
    // Late admissions went to the old process. The entries that would stop them may be lost with the data.
    for (const request of this.#requests) request.isUnderWay = false
    await this.#world.restart(data)
  }

  /**
   * Checks that each request is charged once: its cost, or its full hold if its gateway died, or nothing if it was
   * cancelled.
   */
  #checkCharges(id: string): void {
    const expected = new Map<string, { requests: number; nanos: number }>()
    const charges = structuredClone(expected)
    const add = (to: typeof expected, of: string, count: number, nanos: number) => {
      const sum = to.get(of) ?? { requests: 0, nanos: 0 }
      to.set(of, { requests: sum.requests + count, nanos: sum.nanos + nanos })
    }
    for (const { asking, hold, settlement, isApplied } of this.#requests) {
      if (asking.account !== id || hold === null) continue
      add(expected, `${asking.key}|${asking.model}`, 1, isApplied ? settlement!.costNanos : hold.nanos)
    }
    for (const [name, { counters }] of this.#world.model(id).usage) {
      add(charges, name.split('|').slice(1).join('|'), counters.get('requests') ?? 0, counters.get('costNanos') ?? 0)
    }
    for (const [of, sum] of charges) if (sum.requests === 0 && sum.nanos === 0) charges.delete(of)
    assert.deepEqual(charges, expected)
  }

  /** Checks that the receipts of each key and model add up to its usage. */
  async #checkReceipts(id: string): Promise<void> {
    const ofReceipts = new Map<string, number>()
    const ofUsage = new Map<string, number>()
    const add = (to: typeof ofUsage, counter: string, amount: number) => {
      const sum = (to.get(counter) ?? 0) + amount
      if (sum === 0) to.delete(counter)
      else to.set(counter, sum)
    }
    for (const receipt of (await this.#world.copyReceipts()).values()) {
      if (receipt.account !== id) continue
      const of = `${receipt.key}|${receipt.model}`
      if (receipt.kind !== 'cancelled') add(ofReceipts, `requests ${of}`, 1)
      if (receipt.isEstimated) add(ofReceipts, `estimatedNanos ${of}`, receipt.costNanos)
      for (const counter of measuredCounters) add(ofReceipts, `${counter} ${of}`, countOf(receipt, counter))
    }
    for (const [name, { counters }] of this.#world.model(id).usage) {
      const of = name.split('|').slice(1).join('|')
      for (const counter of ['requests', 'estimatedNanos', ...measuredCounters] as const) {
        add(ofUsage, `${counter} ${of}`, counters.get(counter) ?? 0)
      }
    }
    assert.deepEqual(ofReceipts, ofUsage)
  }
}

const isExecuted = (delivery: Delivery): boolean => delivery === 'answered' || delivery === 'executed'

function settlementOf({ asking, hold }: Request, { share, failed, estimated }: Usage): SettledRequest {
  const { at, nanos, grantedTokens } = hold!
  const { promptTokens, outputTokens } = asking.bound
  const settled = {
    id: asking.id,
    key: asking.key,
    model: asking.model,
    upstream: ['', 'openai', 'azure-eu'][Math.floor(share * 10) % 3]!,
    budgets: asking.allowances.windows.map(({ field }) => field).join(' '),
    at,
    heldNanos: nanos,
    heldTokens: promptTokens + outputTokens * grantedTokens,
    tokensPerMinute: asking.allowances.tokens,
    tokensRestMs: hold!.tokensRestMs,
    ...nothingCounted,
    costNanos: Math.floor(nanos * share),
    promptTokens: Math.floor(promptTokens * Math.min(1, share)),
    cachedTokens: Math.floor(promptTokens * Math.min(1, share) * 0.3),
    completionTokens: Math.floor(outputTokens * grantedTokens * share),
    reasoningTokens: Math.floor(outputTokens * grantedTokens * share * 0.4),
    // Most requests have none of these.
    rare: share < 0.3 ? rareCounts({ audioInputTokens: Math.floor(promptTokens * share), toolCalls: 2 }) : null,
    failed,
    estimated
  }
  const { id, key, model, heldNanos, heldTokens } = settled
  const { rare, costNanos, cachedTokens, completionTokens, reasoningTokens } = settled
  const counts = {
    rare,
    costNanos,
    promptTokens: settled.promptTokens,
    cachedTokens,
    completionTokens,
    reasoningTokens
  }
  const ofRequest = { id, account: asking.account, key, model, at, heldNanos, heldTokens, isEstimated: estimated }
  return { ...settled, receipt: aReceipt({ ...ofRequest, ...counts }) }
}
