export { createLeadership, type Leadership, type LeadershipOptions, LeaseLost, leaseDurations } from './lease.ts';
