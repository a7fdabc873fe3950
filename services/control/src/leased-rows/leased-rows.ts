import { and, asc, eq, getTableColumns, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable, PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { databaseClock, type SharedTime, timeAfter } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'

type Row<Table extends PgTable> = Table['$inferSelect']
type ColumnName<Table extends PgTable> = keyof Row<Table> & string
type Changes<Table extends PgTable> = PgUpdateSetSource<Table>
/** A claimed row, or what of it tells its lease. */
type Held<Table extends PgTable> = Partial<Row<Table>>

interface LeaseColumns<Table extends PgTable> {
  readonly table: Table
  /** The primary key. */
  readonly key: ColumnName<Table>
  /** From when a row is due. Without it, only the condition of a claim says which rows are. */
  readonly due?: ColumnName<Table>
  /**
   * Until when one replica works on a row. It may be the same column as `due`: a lease then postpones when the row is
   * due.
   */
  readonly lease: ColumnName<Table>
  /**
   * Longer than the work on a row may take. If a replica dies meanwhile, another one may claim the row after this time.
   */
  readonly leaseMs: number
}

/** Which rows to claim, and what else to store in them. */
interface Claim<Table extends PgTable> {
  readonly where?: SQL | undefined
  readonly set?: Changes<Table>
}

/**
 * Rows of a table that any number of replicas work on, each row by one of them at a time. A replica claims rows, works
 * on them, and ends the lease. If it dies meanwhile, another one claims them when the lease is over.
 *
 * All times are PostgreSQL's, and are read by the statements themselves. So the clocks of replicas do not matter: one
 * that is ahead repeats nothing, and one that is behind delays nothing.
 *
 * The stored end identifies a lease, since whoever takes the row over stores a later one. A replica that has lost a
 * lease changes nothing.
 */
export class LeasedRows<Table extends PgTable> {
  readonly #orm: Orm
  readonly #table: Table
  readonly #name: Pick<LeaseColumns<Table>, 'key' | 'lease'>
  readonly #key: PgColumn
  readonly #due: PgColumn | null
  readonly #lease: PgColumn
  readonly #leaseMs: number
  /** PostgreSQL's time. */
  readonly now: SharedTime

  constructor(orm: Orm, { table, key, due, lease, leaseMs }: LeaseColumns<Table>, now: SharedTime = databaseClock) {
    const columns = getTableColumns(table) as Record<string, PgColumn>
    this.#orm = orm
    this.#table = table
    this.#name = { key, lease }
    this.#key = columns[key]!
    this.#due = due === undefined ? null : columns[due]!
    this.#lease = columns[lease]!
    this.#leaseMs = leaseMs
    this.now = now
  }

  /** The time some milliseconds from now. */
  after(ms: number): SQL {
    return timeAfter(this.now, ms)
  }

  /** The condition that a row is due, and that nobody works on it. */
  isDue(): SQL | undefined {
    if (this.#due === this.#lease) return lte(this.#lease, this.now())
    return and(this.#due === null ? undefined : lte(this.#due, this.now()), this.#isFree())
  }

  /** The condition that some row is due. @param where a further condition */
  hasDue(where?: SQL): SQL {
    return sql`exists (select from ${this.#table} where ${and(this.isDue(), where)})`
  }

  /** The condition that a row still has this lease. */
  isOurs(row: Held<Table>): SQL | undefined {
    const { key, lease } = this.#name
    return and(eq(this.#key, row[key]), eq(this.#lease, row[lease]))
  }

  /**
   * Leases rows that are due, the longest waiting first, and returns them in this order. It skips those that another
   * replica claims.
   */
  async claim(limit: number, { where, set }: Claim<Table> = {}): Promise<Row<Table>[]> {
    const order = this.#due ?? this.#key
    const since = this.#due === null ? sql`0` : sql`extract(epoch from ${this.#due})`
    const due = this.#orm.$with('due').as(
      this.#orm
        .select({ key: sql`${this.#key}`.as('key'), since: sql`${since}::float8`.mapWith(Number).as('since') })
        .from(this.#table as PgTable)
        .where(and(this.isDue(), where))
        .orderBy(asc(order))
        .limit(limit)
        .for('no key update', { skipLocked: true })
    )
    const claimed = await this.#orm
      .with(due)
      .update(this.#table as PgTable)
      .set(this.#leased(set))
      .from(due)
      .where(eq(this.#key, due.key))
      .returning({ row: this.#all(), since: due.since })
    return claimed.toSorted((one, other) => one.since - other.since).map(({ row }) => row as Row<Table>)
  }

  /**
   * Leases the one row of a condition, whether or not it is due.
   *
   * @returns null without such a row, or while another replica works on it
   */
  claimOne(where: SQL): Promise<Row<Table> | null> {
    return this.#update(this.#orm, and(where, this.#isFree()), this.#leased())
  }

  /**
   * Leases the row of a table that has only one.
   *
   * @param first what the row begins with, if the table has none
   * @returns null if somebody works on it, or it does not meet the condition
   */
  async claimOnly(first: Changes<Table>, { where, set }: Claim<Table>): Promise<Row<Table> | null> {
    const [claimed] = await this.#orm
      .insert(this.#table as PgTable)
      .values({ ...first, ...this.#leased() })
      .onConflictDoUpdate({ target: this.#key, set: this.#leased(set), setWhere: and(this.#isFree(), where) })
      .returning()
    return (claimed as Row<Table> | undefined) ?? null
  }

  /** Begins the lease again. @returns null if another replica has taken over */
  extend(row: Held<Table>, set?: Changes<Table>): Promise<Row<Table> | null> {
    return this.#update(this.#orm, this.isOurs(row), { ...set, [this.#name.lease]: this.#later() })
  }

  /**
   * Ends the lease. If nothing else is stored, others may claim the row at once.
   *
   * @param where a further condition
   * @param tx to store it in the transaction of a result
   * @returns null if another replica has taken over, or the condition is not met: then nothing changes
   */
  end(
    row: Held<Table>,
    set?: Changes<Table>,
    { where, tx = this.#orm }: { where?: SQL; tx?: Orm } = {}
  ): Promise<Row<Table> | null> {
    const ended = this.#lease === this.#due || this.#lease.notNull ? this.now() : null
    return this.#update(tx, and(this.isOurs(row), where), { [this.#name.lease]: ended, ...set })
  }

  #isFree(): SQL | undefined {
    return or(isNull(this.#lease), lte(this.#lease, this.now()))
  }

  #leased(set?: Changes<Table>): Record<string, unknown> {
    return { ...set, [this.#name.lease]: this.after(this.#leaseMs) }
  }

  /** Not the same end as before, which would not tell the leases apart. */
  #later(): SQL {
    return sql`greatest(${this.after(this.#leaseMs)}, ${this.#lease} + interval '1 millisecond')`
  }

  #all(): Record<string, PgColumn> {
    return getTableColumns(this.#table) as Record<string, PgColumn>
  }

  async #update(orm: Orm, where: SQL | undefined, set: Record<string, unknown>): Promise<Row<Table> | null> {
    const [row] = await orm
      .update(this.#table as PgTable)
      .set(set)
      .where(where)
      .returning()
    return (row as Row<Table> | undefined) ?? null
  }
}
