import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** What GoTrue hashes; it refuses longer ones. */
const longestPasswordBytes = 72

/** What can be said of a new password before the provider sees it. @throws ServiceError `weak_password` */
export function checkNewPassword(password: string): void {
  if (Buffer.byteLength(password) <= longestPasswordBytes) return
  throw new ServiceError('weak_password', { message: `The password is longer than ${longestPasswordBytes} bytes.` })
}

/** No more than the rough form: whether an address exists shows when the mail arrives. */
const addressForm = /^[^\s@]+@[^\s@]+$/

export const isAddress = (text: string): boolean => addressForm.test(text)
