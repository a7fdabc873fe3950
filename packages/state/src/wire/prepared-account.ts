import { type AccountShard, accountName, accountShard } from '../keyspace/names.ts'
import { bulk, inOnePiece } from './packed.ts'

/** An account with the name of its hash, encoded for RESP. Scripts make all names of the account from it. */
export interface PreparedAccount {
  readonly account: string
  readonly shard: AccountShard
  readonly name: string
}

export function prepareAccount(account: string): PreparedAccount {
  return { account, shard: accountShard(account), name: inOnePiece(bulk(accountName(account))) }
}
