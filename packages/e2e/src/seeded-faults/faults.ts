/** A change of product code that breaks a promise. */
export interface SeededFault {
  readonly name: string
  /** What the product does wrong then. */
  readonly summary: string
  readonly file: string
  /** A text that occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  /** The test that has to fail: a part of the name that a promise in `docs/guarantees.md` gives it. */
  readonly test: string
}

export const faults: readonly SeededFault[] = [
  {
    name: 'revoked-key-is-valid',
    summary: 'gateways accept a revoked key',
    file: 'packages/contracts/src/keys/judge-key.ts',
    from: "if (key.status === 'revoked') return refused('revoked_api_key')",
    to: '',
    test: 'status, presented secret and account decide whether a key is valid'
  },
  {
    name: 'judged-on-old-records',
    summary: 'a call is accepted on records that another call has replaced meanwhile',
    file: 'services/gateway/src/admission/admit-request.ts',
    from: "return (answer.key?.version ?? '') === judged.key && (answer.account?.version ?? '') === judged.account",
    to: 'return answer.key?.version === known.key?.version && answer.account?.version === known.account?.version',
    test: 'no call of any route is accepted after a change of the key'
  },
  {
    name: 'old-records-admit',
    summary: 'a gateway goes on with the records of a key that it remembers',
    file: 'packages/state/src/admission/admit.lua',
    from: 'and keyVersion == judgedKey and isInForce(keyVersion, epochStart)) then',
    to: 'and isInForce(keyVersion, epochStart)) then',
    test: 'changes to a key and its account are in force from the next request on'
  },
  {
    name: 'open-streams-go-on',
    summary: 'open requests of a revoked key go on, although the caller asked to cut them',
    file: 'services/gateway/src/revocation/cut-of.ts',
    from: "verdict.code === 'revoked_api_key' ? verdict : null",
    to: "verdict.code === 'expired_api_key' ? verdict : null",
    test: 'which open requests end'
  },
  {
    name: 'return-is-ignored',
    summary: 'control does not read the payments of a buyer who returns',
    file: 'services/control/src/billing/endpoints.ts',
    from: 'await markReturned(database.orm, ownAccount(request), options.clock())',
    to: 'ownAccount(request)',
    test: 'a return from the payment page makes the plan active although every event is lost'
  },
  {
    name: 'success-before-in-force',
    summary: 'control confirms a change of a key that Redis does not have',
    file: 'services/control/src/keys/change-endpoints.ts',
    from: "if (!isInForce && !isForPeopleOnly(asked)) throw new ServiceError('change_pending')",
    to: '',
    test: 'says whether it is in force'
  },
  {
    name: 'free-budget-again',
    summary: 'a deleted account takes what it spent of its mailbox’s free budget with it',
    file: 'services/control/src/accounts/free-budget.ts',
    from: 'closedNanos: Number(nanos)',
    to: 'closedNanos: 0 * Number(nanos)',
    test: 'has less after an account was deleted: what it spent, and what it had reserved'
  },
  {
    name: 'old-catalog-returns',
    summary: 'a replica that starts with an old catalog sets the prices',
    file: 'services/control/src/catalog/publish-catalog.ts',
    from: "if (mode === 'apply') return { obstacle: null, inForce }",
    to: 'return { obstacle: null, inForce }',
    test: 'the last replica to start does not set the prices'
  },
  {
    name: 'banned-user-stays',
    summary: 'a ban at the identity provider suspends nothing',
    file: 'services/control/src/users/adopt-user.ts',
    from: 'if (seen === null || seen.isBanned) {',
    to: 'if (seen === null) {',
    test: 'of a ban, its end or a deletion is in force when control answers'
  },
  {
    name: 'hold-not-reserved',
    summary: 'a request is admitted without a reservation of its maximum cost',
    file: 'packages/state/src/admission/admit.lua',
    from: 'reserved, keyReserved, open = reserved + nanos, keyReserved + nanos, open + 1',
    to: 'open = open + 1',
    test: '200 admissions at once over four connections fill the budgets and never exceed them'
  },
  {
    name: 'retried-settlement-charged',
    summary: 'a settlement that is sent again is charged again',
    file: 'packages/state/src/settlement/settle.lua',
    from: 'isSettled = isRetry and not isLost',
    to: 'isSettled = false',
    test: 'a retried settlement is charged once'
  },
  {
    name: 'ledger-skips-a-row',
    summary: 'the copy from Redis to the ledger leaves a row out',
    file: 'services/control/src/usage/copy-usage.ts',
    from: 'await ledger.store(found.usages)',
    to: 'await ledger.store(found.usages.slice(1))',
    test: 'each served request is in the ledger exactly once'
  },
  {
    name: 'repeat-charged-again',
    summary: 'a repeat with the same Idempotency-Key runs, and is charged, beside the first request',
    file: 'packages/state/src/idempotency/claim.lua',
    from: "  return 'lost'\nend\nreturn 'running'",
    to: "  redis.call('SET', name, own, 'PX', ARGV[5])\n  return 'claimed'\nend\nreturn 'running'",
    test: 'no repeat runs while the end of its request cannot reach Redis; then it gets the answer'
  },
  {
    name: 'receipt-shows-another-cost',
    summary: 'the receipt of a request shows another cost than the charge',
    file: 'services/gateway/src/settlement/call-receipt.ts',
    from: '    clientGone,\n    costNanos,\n',
    to: '    clientGone,\n    costNanos: hold.nanos,\n',
    test: 'a receipt says what was asked, served and charged, and the answer has the same cost'
  },
  {
    name: 'burst-twice-as-large',
    summary: 'a rate limit admits two bursts',
    file: 'packages/state/src/admission/rates.lua',
    from: 'last, lastToken = now + burst, now + tokenBurst',
    to: 'last, lastToken = now + 2 * burst, now + 2 * tokenBurst',
    test: 'any 60 s admit at most the limit and the burst'
  },
  {
    name: 'hidden-output-free',
    summary: 'a client that hangs up does not pay for hidden output',
    file: 'services/gateway/src/relay/charged-usage.ts',
    from: "if (isCut && (!isStreamed || mayBillMore)) return 'hold'\n  if (hidesOutput && (usage === null || hasMore)) return 'hold'\n",
    to: '',
    test: 'without usage, or with too many abandoned streams, the reservation is charged'
  },
  {
    name: 'connection-does-not-rest',
    summary: 'a connection to a provider takes the next request before it has rested',
    file: 'services/gateway/src/upstreams/http1/idle-connections.ts',
    from: 'return hasRested && oldest.idleTurn !== this.#turn ? oldest : (oldest.earlier as Connection | null)',
    to: 'return oldest',
    test: 'an answer that arrives on an idle connection reaches no client'
  },
  {
    name: 'two-hosts-accepted',
    summary: 'a request with two Host headers is accepted',
    file: 'packages/service/src/http/ambiguous-head.ts',
    from: 'return hosts > 1 ?',
    to: 'return hosts > 2 ?',
    test: 'a request that another server could read differently gets 400, and its connection is closed'
  },
  {
    name: 'key-takes-all-memory',
    summary: 'the bodies of a key may take the memory of all',
    file: 'services/gateway/src/body/body-memory.ts',
    from: "  expect(sender: BodySender, bytes: number, senderLimit: number): NoRoom | null {\n    if (sender.bodyBytes + bytes > senderLimit) return 'sender'\n",
    to: '  expect(sender: BodySender, bytes: number, _senderLimit: number): NoRoom | null {\n',
    test: 'a key holds no more memory than its plan allows'
  },
  {
    name: 'cut-stream-looks-whole',
    summary: 'a stream that breaks off ends like a whole one',
    file: 'services/gateway/src/relay/stream-answer.ts',
    from: 'if (!this.answer.isWhole || this.#attempt.isWrongKind) {',
    to: 'if (this.#attempt.isWrongKind) {',
    test: 'gets an error event, and the part that came is charged'
  },
  {
    name: 'too-many-calls',
    summary: 'a client is told to retry after the gateway has retried',
    file: 'services/gateway/src/relay/client-may-retry.ts',
    from: 'return calls <= 1 ||',
    to: 'return calls <= 2 ||',
    test: 'a request of an SDK and its two retries call providers at most four times in total'
  },
  {
    name: 'unverified-redis-admits',
    summary: 'a Redis that was restarted admits requests before control has verified it',
    file: 'packages/state/src/admission/admit.lua',
    from: 'if verifiedRun ~= run or present == 0 then',
    to: 'if present == 0 then',
    test: 'a shard that is verified for another process is unverified'
  },
  {
    name: 'unproved-address-signs-in',
    summary: 'the right password signs in, although nobody has proved the address',
    file: 'services/control/src/users/proof.ts',
    from: 'if (await hasProof(orm, user)) return true',
    to: 'return true',
    test: 'an attacker who registered an address first cannot sign in when its owner confirms it'
  },
  {
    name: 'one-clock-decides',
    summary: 'a wrong clock of PostgreSQL decides the time',
    file: 'services/control/src/clocks/judge-clocks.ts',
    from: 'redis === null ? database : medianOf(own, database, redis)',
    to: 'database',
    test: 'the time stays between the two right clocks, however wrong the third is'
  },
  {
    name: 'foreign-key-found',
    summary: 'an account reads and changes a key of another account',
    file: 'services/control/src/keys/list-keys.ts',
    from: '.where(and(eq(keys.id, id), eq(keys.accountId, accountId)))',
    to: '.where(eq(keys.id, id))',
    test: 'no caller can see another account’s key'
  },
  {
    name: 'secret-in-log',
    summary: 'the line of a request in the log has the secret',
    file: 'services/gateway/src/telemetry/request-log.ts',
    from: 'return { address: request.ip,',
    to: 'return { address: request.headers.authorization ?? request.ip,',
    test: 'no key, credential or text of a conversation ever appears in the log'
  }
]
