import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { DialogActions } from '../ui/dialog.tsx'
import { Form, type FormProps } from './form.tsx'

interface DialogFormProps<Values> extends Pick<FormProps<Values>, 'read' | 'submit'> {
  /** The label of the button that submits the form. */
  readonly action: ReactNode
  /** `danger` for actions that end or delete something. */
  readonly tone?: 'primary' | 'danger'
  /** The label of that button while the change is saved, but not active yet. */
  readonly checkAgain?: ReactNode
  readonly onClose: () => void
  /** The fields. */
  readonly children?: ReactNode
}

/** The form of a dialog, with buttons to cancel and to submit. */
export function DialogForm<Values>({
  action,
  checkAgain,
  tone = 'primary',
  onClose,
  children,
  ...form
}: DialogFormProps<Values>) {
  return (
    <Form {...form}>
      {(isBusy, isPending) => (
        <>
          {children}
          <DialogActions>
            <Button disabled={isBusy} onClick={onClose}>
              {isPending && checkAgain !== undefined ? 'Close' : 'Cancel'}
            </Button>
            <Button type="submit" tone={tone} isBusy={isBusy}>
              {isPending && checkAgain !== undefined ? checkAgain : action}
            </Button>
          </DialogActions>
        </>
      )}
    </Form>
  )
}
