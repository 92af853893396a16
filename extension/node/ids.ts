/** Random ids of RFC 4122, version 4. */
import { randomUUID } from 'node:crypto';
import type { NewId } from '../ports';

export const randomId: NewId = () => randomUUID();
