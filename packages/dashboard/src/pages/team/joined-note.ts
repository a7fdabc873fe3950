/** Whose team the user has just joined; null for none. Only memory has it, so that a reload does not say it again. */
let owner: string | null = null

/** Makes the team's page, which is opened next, say whose team the user has joined. */
export function noteJoined(nameOfOwner: string): void {
  owner = nameOfOwner
}

/** React may render a page twice, so reading keeps the name. */
export const joinedOwner = (): string | null => owner

export function forgetJoined(): void {
  owner = null
}
