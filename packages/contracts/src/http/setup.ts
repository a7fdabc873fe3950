import { type Static, Type } from 'typebox'

/** The steps of a new account, in order. */
export const setupSteps = ['confirm_address', 'create_key', 'first_call', 'invite_member', 'choose_plan'] as const
export type SetupStep = (typeof setupSteps)[number]

/** How far an account is set up. */
export const Setup = Type.Object({
  /** Steps that do not apply to the caller are left out: only owners invite, and choose a plan. */
  steps: Type.Array(Type.Object({ step: Type.Enum([...setupSteps]), done: Type.Boolean() })),
  /** Whether the owner has dismissed the list. */
  dismissed: Type.Boolean()
})
export type Setup = Static<typeof Setup>

export const SetupResponse = Type.Object({ setup: Setup })
