import { type AccountShard, accountName, accountShard } from '../keyspace/names.ts'
import { bulk, inOnePiece } from './packed.ts'

/** An account, and the name of its hash in the form of the wire: from it scripts make all names of the account. */
export type PreparedAccount = { readonly account: string; readonly shard: AccountShard; readonly name: string }

export function prepareAccount(account: string): PreparedAccount {
  return { account, shard: accountShard(account), name: inOnePiece(bulk(accountName(account))) }
}
