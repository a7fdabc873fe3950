/** A key that was just created, for the playground to try. */
export interface HandedOverKey {
  readonly secret: string
  readonly label: string
  /** The models that it may call; null for all of the plan. */
  readonly models: readonly string[] | null
}

let handedOver: HandedOverKey | null = null

/** Hands a new key over to the playground, which is opened next. Only memory has it: an address or a history entry would keep it. */
export function handOverKey(key: HandedOverKey): void {
  handedOver = key
}

/** The key that was handed over; null without one. React may render a page twice, so reading keeps it. */
export const handedOverKey = (): HandedOverKey | null => handedOver

/** Forgets the key, so that a later visit of the playground starts without it. */
export function forgetHandedOverKey(): void {
  handedOver = null
}
