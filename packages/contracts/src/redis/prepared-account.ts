import { type AccountShard, accountName, accountShard } from '../keyspace/names.ts'
import { bulk } from './call-script.ts'

/** An account, and the name of its record in the form of the wire: from it scripts make all names of the account. */
export type PreparedAccount = { readonly account: string; readonly shard: AccountShard; readonly record: string }

export function prepareAccount(account: string): PreparedAccount {
  return { account, shard: accountShard(account), record: bulk(accountName(account)) }
}
