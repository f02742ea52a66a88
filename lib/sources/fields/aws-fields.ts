import { type TextForm, textField } from "./field";

/** Keeps a region from being any other part of a host name. */
const regionForm: TextForm = {
  expected: "an AWS region such as eu-west-1",
  pattern: /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/,
};

export const region = textField(regionForm);

export const account = textField({ expected: "an account of 12 digits", pattern: /^\d{12}$/ });
