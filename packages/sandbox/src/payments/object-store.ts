import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type {
  Metadata,
  WireCheckoutSession,
  WireCustomer,
  WireEvent,
  WireInvoice,
  WireInvoiceLine,
  WireLineItem,
  WirePaymentMethod,
  WirePortalConfiguration,
  WirePortalSession,
  WirePrice,
  WireProduct,
  WireRefund,
  WireSubscription,
  WireWebhookEndpoint
} from './wire.ts'

/** The stored objects by kind: the objects of the API as sent, and internal ones. */
export interface Kinds {
  customer: WireCustomer
  deleted_customer: { id: string; object: 'customer'; deleted: true }
  product: WireProduct
  price: WirePrice
  payment_method: WirePaymentMethod
  subscription: WireSubscription
  invoice: WireInvoice
  refund: WireRefund
  'checkout.session': WireCheckoutSession
  'billing_portal.configuration': WirePortalConfiguration
  event: WireEvent
  endpoint: StoredEndpoint
  /** The order of a checkout session, under the session's id. */
  order: Order
  /** The behaviour of a card, under the payment method's id. */
  card: StoredCard
  /** A link to the portal and the visit that it opened. */
  portal_visit: PortalVisit
  /** The secret part of an invoice's URL. */
  invoice_link: { id: string; invoice: string }
  /** Extra lines of a subscription's next invoice, under the subscription's id. */
  pending_lines: { id: string; lines: WireInvoiceLine[] }
}

export type Kind = keyof Kinds

export interface StoredEndpoint {
  id: string
  endpoint: WireWebhookEndpoint
  secrets: readonly string[]
}

export interface Order {
  id: string
  lineItems: WireLineItem[]
  subscriptionMetadata: Metadata
  subscriptionDescription: string | null
  trialDays: number
}

export interface StoredCard {
  id: string
  /** Whether later charges succeed. */
  isCharged: boolean
}

export interface PortalVisit {
  id: string
  session: WirePortalSession
  /** The secret in the paths of the visit's pages; null until the link is opened. */
  visit: string | null
  /** Unix seconds. */
  expires_at: number
}

/** The value by which objects of a kind are listed. */
export function groupOf<K extends Kind>(kind: K, object: Kinds[K]): string | null {
  const value: unknown = kind in groups ? Reflect.get(object, groups[kind as keyof typeof groups]) : null
  return typeof value === 'string' ? value : null
}

const groups = {
  customer: 'email',
  price: 'product',
  payment_method: 'customer',
  subscription: 'customer',
  invoice: 'customer',
  refund: 'payment_intent',
  'checkout.session': 'customer',
  portal_visit: 'visit'
} as const satisfies Partial<Record<Kind, string>>

/** An object that is due. */
export interface Due {
  kind: Kind
  id: string
  /** Unix seconds. */
  dueS: number
}

/** The stored objects, by kind and id. */
export interface Objects {
  /** Inserts or replaces an object. */
  put<K extends Kind>(kind: K, object: Kinds[K]): void
  get<K extends Kind>(kind: K, id: string): Kinds[K] | null
  remove(kind: Kind, id: string): void
  /** Lists objects, newest first; with `group`, only those of the group (see `groupOf`). */
  list<K extends Kind>(kind: K, group?: string): Kinds[K][]
  /** The object that is due first, if it is due until `untilS`. */
  nextDue(untilS: number): Due | null
}

/** @param dueOf returns when the server must next act on an object, in Unix seconds; null: never */
export function createObjects(
  database: DatabaseSync,
  dueOf: <K extends Kind>(kind: K, object: Kinds[K]) => number | null
): Objects {
  const put = database.prepare(`
    insert into objects (kind, id, grouped_by, due_s, document) values (?, ?, ?, ?, ?)
    on conflict (kind, id) do update set
      grouped_by = excluded.grouped_by, due_s = excluded.due_s, document = excluded.document`)
  const get = database.prepare('select document from objects where kind = ? and id = ?')
  const remove = database.prepare('delete from objects where kind = ? and id = ?')
  const all = database.prepare('select document from objects where kind = ? order by sequence desc')
  const group = database.prepare(
    'select document from objects where kind = ? and grouped_by = ? order by sequence desc'
  )
  const due = database.prepare('select kind, id, due_s from objects where due_s <= ? order by due_s, sequence limit 1')
  return {
    put: (kind, object) =>
      void put.run(kind, object.id, groupOf(kind, object), dueOf(kind, object), JSON.stringify(object)),
    get(kind, id) {
      const row = get.get(kind, id)
      return row === undefined ? null : read(row)
    },
    remove: (kind, id) => void remove.run(kind, id),
    list: (kind, name) => (name === undefined ? all.all(kind) : group.all(kind, name)).map((row) => read(row)),
    nextDue(untilS) {
      const row = due.get(untilS)
      return row === undefined ? null : { kind: row.kind as Kind, id: String(row.id), dueS: Number(row.due_s) }
    }
  }
}

// `put` wrote the row as an object of this kind.
function read<Stored>(row: Record<string, SQLOutputValue>): Stored {
  return JSON.parse(String(row.document))
}
