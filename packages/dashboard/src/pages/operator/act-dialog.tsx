import { type ReactNode, useState } from 'react'
import { refreshAdmin } from '../../api/admin.ts'
import { isCode } from '../../api/api-error.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import type { Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'

/** What happened to an act above the operators' amount: see `OPERATOR_CONFIRM_ABOVE_USD`. */
export const waitsForSecond = 'Waits for a second operator. Nothing was changed yet.'

/** Why an operator acts. */
interface Reason {
  readonly reason: string
}

interface ActDialogProps<Values> {
  readonly title: string
  /** What the act does, one sentence each. */
  readonly effects: readonly string[]
  /** The label of the button. */
  readonly action: string
  readonly tone?: 'primary' | 'danger'
  readonly reasonLabel?: string
  /** Who can read the reason later. */
  readonly reasonHint?: string
  readonly read: (data: FormData) => Reading<Values>
  /** Does the act. It returns what happened, in one sentence; null if the page says it. */
  readonly submit: (values: Values, reason: Reason) => Promise<string | null>
  readonly onDone?: () => void
  readonly onClose: () => void
  /** The fields of the act. That for the reason follows. */
  readonly children?: ReactNode
}

/** The dialog of an operator's act: what it will do, and a reason. Afterwards a toast says what happened. */
export function ActDialog<Values>({
  title,
  effects,
  action,
  tone = 'primary',
  reasonLabel = 'Reason',
  reasonHint = 'The customer can read it in their audit log.',
  read,
  submit,
  onDone,
  onClose,
  children
}: ActDialogProps<Values>) {
  const showToast = useToast()
  const [mustSignIn, setMustSignIn] = useState(false)
  return (
    <Dialog
      title={title}
      description={
        <ul className="mt-2 list-disc space-y-1.5 pl-5 text-ink">
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
      }
      onClose={onClose}
    >
      <DialogForm<readonly [Values, Reason]>
        action={action}
        checkAgain="Check again"
        tone={tone}
        onClose={onClose}
        read={(data) => readReason(data, read(data))}
        submit={async ([values, reason]) => {
          setMustSignIn(false)
          try {
            const notice = await submit(values, reason)
            onClose()
            onDone?.()
            if (notice !== null) showToast(notice)
            await refreshAdmin()
          } catch (error) {
            if (!isCode(error, 'sign_in_again')) throw error
            setMustSignIn(true)
          }
        }}
      >
        {children}
        <TextField name="reason" label={reasonLabel} hint={reasonHint} maxLength={500} autoComplete="off" required />
        {mustSignIn && (
          <Banner tone="warning" title="Sign in again first" isAnnounced>
            You signed in more than 12 hours ago.{' '}
            <a href="/login" target="_blank" rel="noreferrer" className={textLink}>
              Sign in in a new tab
            </a>
            , then press the button here again. Nothing was changed.
          </Banner>
        )}
      </DialogForm>
    </Dialog>
  )
}

/** Adds the reason of a form to the values of the act. */
function readReason<Values>(data: FormData, act: Reading<Values>): Reading<readonly [Values, Reason]> {
  const reason = textOf(data, 'reason').trim()
  const problems = { ...(act.ok ? {} : act.problems), ...(reason === '' && { reason: 'Enter a reason.' }) }
  if (!act.ok || reason === '') return { ok: false, problems }
  return { ok: true, values: [act.values, { reason }] }
}
