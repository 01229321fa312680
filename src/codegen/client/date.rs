use chrono::NaiveDate;

impl Parts {
    fn date(&mut self, value: NaiveDate) {
        self.normalised.push(value.to_string());
    }
}
