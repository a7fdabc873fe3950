import { type Static, Type } from 'typebox'
import { described } from './described.ts'

/** The steps of a new account, in order. */
export const setupSteps = ['confirm_address', 'create_key', 'first_call', 'invite_member', 'choose_plan'] as const
export type SetupStep = (typeof setupSteps)[number]

/** How far an account is set up. */
export const Setup = Type.Object({
  steps: described(
    'Steps that do not apply to the caller are left out: only owners invite, and choose a plan.',
    Type.Array(
      Type.Object({
        step: described('What there is to do.', Type.Enum([...setupSteps])),
        done: described('Whether it is done.', Type.Boolean())
      })
    )
  ),
  dismissed: described('Whether the owner has dismissed the list.', Type.Boolean())
})
export type Setup = Static<typeof Setup>

export const SetupResponse = Type.Object({ setup: described('How far the account is set up.', Setup) })
