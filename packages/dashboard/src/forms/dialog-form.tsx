import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { DialogActions } from '../ui/dialog.tsx'
import { Form, type FormProps } from './form.tsx'

interface DialogFormProps<Values> extends Pick<FormProps<Values>, 'read' | 'submit'> {
  /** The label of the button that submits the form. */
  readonly action: ReactNode
  /** `danger` for actions that end or delete something. */
  readonly tone?: 'primary' | 'danger'
  readonly onClose: () => void
  /** The fields. */
  readonly children?: ReactNode
}

/** The form of a dialog, with buttons to cancel and to submit. */
export function DialogForm<Values>({ action, tone = 'primary', onClose, children, ...form }: DialogFormProps<Values>) {
  return (
    <Form {...form}>
      {(isBusy) => (
        <>
          {children}
          <DialogActions>
            <Button disabled={isBusy} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" tone={tone} isBusy={isBusy}>
              {action}
            </Button>
          </DialogActions>
        </>
      )}
    </Form>
  )
}
