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
    name: 'key-works-from-everywhere',
    summary: 'gateways read the body of a request from an address that its key does not allow',
    file: 'services/gateway/src/admission/count-refusals.ts',
    from: ' && record.addresses === undefined',
    to: '',
    test: 'a request from another address is refused before its body is read'
  },
  {
    name: 'judged-on-old-records',
    summary: 'a call is accepted on records that another call has replaced meanwhile',
    file: 'services/gateway/src/admission/confirm-key.ts',
    from: "return (answer.key?.version ?? '') === judged.key && (answer.account?.version ?? '') === judged.account",
    to: 'return answer.key?.version === key.keyRecord?.version && answer.account?.version === key.accountRecord?.version',
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
    file: 'services/gateway/src/revocation/cut-requests.ts',
    from: "verdict.code === 'revoked_api_key' ? verdict : null",
    to: "verdict.code === 'expired_api_key' ? verdict : null",
    test: 'which open requests end'
  },
  {
    name: 'return-is-ignored',
    summary: 'control does not read the payments of a buyer who returns',
    file: 'services/control/src/billing/billing-routes.ts',
    from: 'await markReturned(database.orm, ownAccount(request), clock())',
    to: 'ownAccount(request)',
    test: 'a return from the payment page makes the plan active although every event is lost'
  },
  {
    name: 'success-before-in-force',
    summary: 'control confirms a change of a key that Redis does not have',
    file: 'services/control/src/keys/change-key.ts',
    from: "if (!isInForce && !isForPeopleOnly(terms)) throw new ServiceError('change_pending')",
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
    from: 'if (found === null || found.isBanned) {',
    to: 'if (found === null) {',
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
    file: 'services/control/src/usage/usage-copier.ts',
    from: 'await ledger.store(batch.usages)',
    to: 'await ledger.store(batch.usages.slice(1))',
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
    file: 'packages/service/src/http/request-head.ts',
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
    file: 'services/control/src/clocks/clock-watch.ts',
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
  },
  {
    name: 'ended-key-reads-responses',
    summary: 'a revoked key reads stored responses',
    file: 'services/gateway/src/apis/responses/stored-routes.ts',
    from: '  await confirmKey(redis, known, (records) => judgeKey(records, known.digest, request))\n',
    to: '',
    test: 'no gateway accepts a call after the end of its key'
  },
  {
    name: 'late-sum-of-free-spend',
    summary: 'the free offer closes only at twice the limit',
    file: 'services/control/src/usage/free-spend-limit.ts',
    from: 'spentNanos >= limitNanos',
    to: 'spentNanos >= 2n * limitNanos',
    test: 'closes the free offer until midnight at its limit, tells gateways once, and metrics show it'
  },
  {
    name: 'closed-offer-refuses-payers',
    summary: 'while the free offer is closed, gateways refuse paid accounts, too',
    file: 'services/gateway/src/admission/allowances.ts',
    from: 'isOnFreeOffer: isFree && own',
    to: 'isOnFreeOffer: own',
    test: 'while the free offer is closed, gateways refuse free accounts, and nobody else'
  },
  {
    name: 'lost-data-opens-offer',
    summary: 'a Redis that lost its data opens the free offer',
    file: 'services/gateway/src/admission/free-offer.ts',
    from: '?? closedUntil',
    to: '?? 0',
    test: 'a Redis that says nothing, or has an older copy, opens nothing that was closed'
  },
  {
    name: 'free-budget-for-each',
    summary: 'accounts that begin at once each get a free budget',
    file: 'services/control/src/database/derived-columns.ts',
    from: '(other.created_at, other.id) < (accounts.created_at, accounts.id)',
    to: "other.created_at < accounts.created_at - interval '1 minute'",
    test: 'belongs to exactly one of accounts that begin at once'
  },
  {
    name: 'template-not-reserved',
    summary: 'the tokens of a model’s template are not reserved',
    file: 'packages/contracts/src/catalog/prompt-rules.ts',
    from: 'templateTokens === undefined ? defaultAddedTokens : templateTokens[api]',
    to: 'templateTokens === undefined ? noTokens : templateTokens[api]',
    test: 'the tokens of a template are reserved, and a model without numbers has a margin for them'
  },
  {
    name: 'last-report-counts',
    summary: 'of several reports of usage, the last one counts',
    file: 'services/gateway/src/apis/messages/messages-usage.ts',
    from: 'return Math.max(earlier, later)',
    to: 'return later',
    test: 'a later report with less takes back nothing'
  },
  {
    name: 'unreported-search-free',
    summary: 'a search that the usage of a message lacks costs nothing',
    file: 'services/gateway/src/apis/messages/messages-usage.ts',
    from: "['web_search_tool_result', 'web_search']",
    to: '',
    test: 'results of searches are charged although the usage of a message reports fewer searches, or none'
  },
  {
    name: 'answer-without-choices-fails',
    summary: 'an answer without choices that reports usage fails',
    file: 'services/gateway/src/relay/body-shape.ts',
    from: ' || (this.#isUsageEnough && this.isClosed && this.spanEnd >= 0)',
    to: '',
    test: 'an answer without choices that reports usage is passed on, and costs what it reports'
  },
  {
    name: 'least-bad-not-called',
    summary: 'without an upstream that works, nobody is called',
    file: 'services/gateway/src/relay/targets.ts',
    from: 'if (rank >= bestRank) continue',
    to: 'if (rank >= bestRank || rank >= leastBad) continue',
    test: 'whatever happened before, somebody is called; while others work, a failing upstream gets probes'
  },
  {
    name: 'operator-fault-to-client',
    summary: 'a fault of the operator at a provider reaches the client as its own',
    file: 'services/gateway/src/relay/upstream-failure.ts',
    from: '  if (fault !== null) return failureOfFault(fault, statusError(status, reason))\n',
    to: '',
    test: 'a fault of the operator: the next upstream answers, and the operator is told'
  },
  {
    name: 'upstream-name-shown',
    summary: 'refusals name the upstream’s model',
    file: 'services/gateway/src/relay/conceal.ts',
    from: 'renameModel(now, from, renamed.to)',
    to: 'now',
    test: 'a refusal about the request has the client’s name of the model, at every endpoint'
  },
  {
    name: 'any-secret-opens-answer',
    summary: 'whoever reads Redis decrypts kept answers',
    file: 'services/gateway/src/idempotency/kept-answer.ts',
    from: "hkdfSync('sha256', secret, claim",
    to: "hkdfSync('sha256', '', claim",
    test: 'after a rotation, only the secret that asked gets its answer'
  },
  {
    name: 'account-shares-responses',
    summary: 'all keys of an account read each other’s stored responses',
    file: 'packages/state/src/stored-ids/stored-ids.ts',
    from: ' || (itsOwner !== undefined && itsOwner !== owner)',
    to: '',
    test: 'the responses of others do not exist on any route'
  },
  {
    name: 'strangers-register',
    summary: 'a user who registered at the identity provider needs no invitation',
    file: 'services/control/src/signup/signup-policy.ts',
    from: "if (mode === 'invited' && !(await isInvited(orm, address, now))) throw refuseUninvited()",
    to: '',
    test: 'a user who registered at Supabase itself gets no account, also with a mailed link'
  },
  {
    name: 'signups-of-all-unlimited',
    summary: 'only the registrations of each network are limited',
    file: 'services/control/src/signup/signup-policy.ts',
    from: "countForSubject(app, ofAll, 'all')",
    to: 'countForSubject(app, ofAll, networkOf(request.ip))',
    test: 'are limited for a network, and for all; refused ones do not count for all'
  },
  {
    name: 'mails-to-one-unlimited',
    summary: 'many senders send one recipient any number of mails',
    file: 'services/control/src/signup/mailbox.ts',
    from: 'knownBrowser ?? mailboxOf(to.trim())',
    to: 'knownBrowser ?? address',
    test: 'mails that strangers ask for are limited by sender and by recipient, across replicas'
  },
  {
    name: 'servers-write-unlimited',
    summary: 'writes of management keys have no limit',
    file: 'services/control/src/http/caller-limits.ts',
    from: "if (isByServer) return [['server-writes', limits.writeByServer, minuteMs]]",
    to: 'if (isByServer) return []',
    test: 'every write of the API has a limit'
  },
  {
    name: 'repeat-adds-a-row',
    summary: 'a change of a key that changes nothing adds a row to its log',
    file: 'services/control/src/keys/change-key.ts',
    from: 'const row = hasTerms(key, terms)',
    to: 'const row = hasTerms(key, terms) && false',
    test: 'a write that is repeated without a change adds no row to a log'
  },
  {
    name: 'slow-clients-refused',
    summary: 'a body that arrives slowly, but fast enough, is refused',
    file: 'services/gateway/src/body/slow-bodies.ts',
    from: 'return Math.max(minBytesPerSecond, expectedBytes / maxSeconds)',
    to: 'return Math.max(minBytesPerSecond, expectedBytes)',
    test: 'a body that stops arriving is refused, and a slow body above the minimum rate is not'
  },
  {
    name: 'guesses-unlimited',
    summary: 'wrong passwords of a day are not limited',
    file: 'services/control/src/auth/wrong-guesses.ts',
    from: 'if (attempts >= max) throw tooMany(leftMs)',
    to: 'if (attempts > 100 * max) throw tooMany(leftMs)',
    test: 'strangers are refused after the limit; the owner gets one mail, and their browser still works'
  },
  {
    name: 'code-works-twice',
    summary: 'a code of a second factor works again while it is valid',
    file: 'services/control/src/auth/second-factor-codes.ts',
    from: "what: 'second-factor-code-used', max: 1",
    to: "what: 'second-factor-code-used', max: 2",
    test: 'a sign-in needs a right code, and each code works once'
  },
  {
    name: 'operator-session-lasts',
    summary: 'a session of an operator acts without a new confirmation',
    file: 'services/control/src/callers/sessions.ts',
    from: '  assertConfirmed(confirmed, now)\n',
    to: '',
    test: 'ten minutes after the sign-in, a stolen session can no longer spend, export or revoke'
  },
  {
    name: 'operator-gives-to-self',
    summary: 'operators change their own account',
    file: 'services/control/src/admin/admin-context.ts',
    from: 'if (accountId !== user.id && accountId !== actingFor) return',
    to: 'if (accountId !== actingFor) return',
    test: 'nobody changes their own plan, limits, usage or suspension'
  },
  {
    name: 'act-decided-twice',
    summary: 'a pending act is confirmed by each of those who confirm it',
    file: 'services/control/src/admin/pending-acts.ts',
    from: 'isNull(table.outcome), gt(',
    to: 'gt(',
    test: 'of all who confirm and reject it at once, one succeeds'
  }
]
