import type { SetupStep } from '@tollgate/contracts/http/setup.ts'

interface StepText {
  readonly title: string
  /** Why, or what will happen. */
  readonly text: string
  /** The place where the step is done; null for one that is always done. */
  readonly action: StepAction | null
}

export interface StepAction {
  readonly to: '/dashboard/keys' | '/dashboard/playground' | '/dashboard/team' | '/dashboard/billing'
  readonly search?: { readonly create: '1' }
  readonly text: string
}

/** What to say of each step of a new account. */
export const stepTexts: Readonly<Record<SetupStep, StepText>> = {
  confirm_address: { title: 'Confirm your e-mail address', text: 'You can sign in with it.', action: null },
  create_key: {
    title: 'Create an API key',
    text: 'Your apps use it to call models.',
    action: { to: '/dashboard/keys', search: { create: '1' }, text: 'Create a key' }
  },
  first_call: {
    title: 'Make the first call',
    text: 'Ask a model in the playground. It needs no key.',
    action: { to: '/dashboard/playground', text: 'Open the playground' }
  },
  invite_member: {
    title: 'Invite a member',
    text: 'Members share the keys and the budget of your plan.',
    action: { to: '/dashboard/team', text: 'Invite someone' }
  },
  choose_plan: {
    title: 'Choose a plan',
    text: 'Paid plans have more models, keys and budget.',
    action: { to: '/dashboard/billing', text: 'Compare plans' }
  }
}
