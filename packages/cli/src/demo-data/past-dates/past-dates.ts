/** When things of the demo account happened, ISO 8601. */
export interface PastDates {
  readonly account: string
  /** When the demo user joined, and bought their plan. */
  readonly joinedAt: string
  /** The creation of each key, by its id. */
  readonly keys: Readonly<Record<string, string>>
}

/** Runs a statement of PostgreSQL. */
export type RunStatement = (text: string, parameters: readonly string[]) => Promise<unknown>

/** Statements with the parameters account, `joinedAt`, and `keys` as JSON. Each uses all three. */
const statements = [
  `update accounts set created_at = $2::timestamptz where id = $1::uuid and $3::text is not null`,
  `update keys set created_at = ($3::jsonb ->> id)::timestamptz
   where account_id = $1::uuid and jsonb_exists($3::jsonb, id) and $2::text is not null`,
  `update audit_log set at = coalesce(($3::jsonb ->> subject), $2)::timestamptz
   where account_id = $1::uuid and (
     action = 'subscription.changed' or (action = 'key.created' and jsonb_exists($3::jsonb, subject))
     or id = (select min(id) from audit_log where account_id = $1::uuid and action = 'auth.login')
   )`,
  `update events set at = ($3::jsonb ->> (data -> 'key' ->> 'id'))::timestamptz
   where account_id = $1::uuid and type = 'key.created' and jsonb_exists($3::jsonb, data -> 'key' ->> 'id')
     and $2::text is not null`
]

/** Moves what the demo data has created into the past: the account, its keys, and their entries of the audit log and the notices. */
export async function writePastDates(run: RunStatement, { account, joinedAt, keys }: PastDates): Promise<void> {
  for (const statement of statements) await run(statement, [account, joinedAt, JSON.stringify(keys)])
}
