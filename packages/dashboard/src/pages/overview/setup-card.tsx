import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { SetupStep } from '@tollgate/contracts/http/setup.ts'
import { Circle, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { type Answer, call } from '../../api/call.ts'
import { read, refresh } from '../../api/queries.ts'
import { useAccount } from '../../layout/owner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useToast } from '../../ui/toast.tsx'

interface StepText {
  readonly title: string
  /** Why, or what will happen. */
  readonly text: string
  /** The place where the step is done; null for one that is always done. */
  readonly action: StepAction | null
}

interface StepAction {
  readonly to: '/dashboard/keys' | '/dashboard/playground' | '/dashboard/team' | '/dashboard/billing'
  readonly search?: { readonly create: '1' }
  readonly text: string
}

/** What to say of each step of a new account. */
const stepTexts: Readonly<Record<SetupStep, StepText>> = {
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

type Step = Answer<'getSetup'>['setup']['steps'][number]

/**
 * The first steps of an account, until all are done or the owner dismisses them. A failed read shows nothing: the page
 * itself works.
 */
export function SetupCard() {
  const { role } = useAccount()
  const { data } = useQuery({ ...read('getSetup'), refetchInterval: ({ state }) => pollMs(state.data) })
  if (data === undefined || data.setup.dismissed) return null
  const { steps } = data.setup
  const open = steps.filter(({ done }) => !done)
  if (open.length === 0) return null
  return (
    <Card
      title="Get started"
      description={`${steps.length - open.length} of ${steps.length} steps done.`}
      isFlush
      {...(role === 'owner' && { actions: <DismissButton /> })}
    >
      <ol aria-label="First steps" className="divide-y divide-line border-t border-line">
        {steps.map((step) => (
          <StepRow key={step.step} step={step} isNext={step === open[0]} />
        ))}
      </ol>
    </Card>
  )
}

/** A first call may be under way in another tab. Once a step is done, it stays done. */
const pollMs = (data: Answer<'getSetup'> | undefined): number | false =>
  data !== undefined && !data.setup.dismissed && data.setup.steps.some(({ done }) => !done) ? 10_000 : false

function StepRow({ step: { step, done }, isNext }: { readonly step: Step; readonly isNext: boolean }) {
  const { title, text, action } = stepTexts[step]
  const Icon = done ? CircleCheck : Circle
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-3.5">
      <Icon aria-hidden="true" className={`size-5 shrink-0 ${done ? 'text-accent' : 'text-ink-soft'}`} />
      <div className="min-w-48 flex-1 text-sm">
        <p className={done ? 'text-ink-soft' : 'font-medium'}>
          {title}
          {done && <span className="sr-only"> (done)</span>}
        </p>
        {!done && <p className="text-ink-soft">{text}</p>}
      </div>
      {!done && action !== null && (
        <Link
          to={action.to}
          {...(action.search !== undefined && { search: action.search })}
          className={buttonLook({ size: 'small', ...(isNext && { tone: 'primary' }) })}
        >
          {action.text}
        </Link>
      )}
    </li>
  )
}

function DismissButton() {
  const showToast = useToast()
  const [isBusy, setBusy] = useState(false)
  const dismiss = async () => {
    setBusy(true)
    try {
      await call('dismissSetup')
      await refresh('getSetup')
    } catch (error) {
      showToast(`The list is still shown. ${explain(error)}`, 'failed')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="small" tone="quiet" isBusy={isBusy} onClick={() => void dismiss()}>
      Dismiss
    </Button>
  )
}
